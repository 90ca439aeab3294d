import type { Json, JsonObject, TranscriptEntry } from "@toolbus/contracts";
import type { ModelRequest } from "../model-provider.ts";
import { type CompiledTool, compileTool } from "../schema/compile-tool.ts";

/** The version of the document; another one when a field changes its meaning. docs/models.md describes each. */
const VERSION = 1;

/** What is written to the command, and how to read what it calls. */
export interface CliPrompt {
  readonly document: string;
  /** The tools that were told, by the name they were told under. */
  readonly tools: ReadonlyMap<string, CompiledTool & { readonly ownName: string }>;
}

/** The whole prompt as one JSON document. It says itself how to answer, so that a command may hand it to a model as it stands. */
export function cliPrompt(request: ModelRequest, model: string): CliPrompt {
  const offered = request.toolChoice === "none" ? [] : request.tools;
  const tools = new Map<string, CompiledTool & { readonly ownName: string }>();
  const told = new Map<string, string>();
  for (const spec of offered) {
    const tool = compileTool(spec, "cli");
    if (!tool.ok) continue;
    tools.set(tool.name, { ...tool, ownName: spec.name });
    told.set(spec.name, tool.name);
  }
  const document: JsonObject = {
    version: VERSION,
    instructions: instructions(tools.size > 0),
    model,
    system: request.system,
    messages: request.transcript.map((entry) => message(entry, told)),
    tools: [...tools.values()].map(({ name, description, parameters }) => ({ name, description, parameters })),
    toolChoice: toolChoice(request, told),
    parallelCalls: request.parallelCalls ?? true,
    ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
    maxTokens: request.maxTokens,
  };
  return { document: JSON.stringify(document), tools };
}

function instructions(hasTools: boolean): string {
  const head =
    "This document is the whole prompt: follow system, and continue messages with the next turn of the assistant. " +
    "Do not act yourself and use no tools of your own. Answer with one JSON object and nothing else, ";
  return hasTools
    ? `${head}{"text": "what you say", "calls": [{"name": "a tool of tools", "arguments": {}}]}. Arguments follow the tool's parameters. Leave calls empty when you are done; results of calls come as messages of the role tool.`
    : `${head}{"text": "what you say", "calls": []}. There is nothing to call.`;
}

function message(entry: TranscriptEntry, told: ReadonlyMap<string, string>): JsonObject {
  switch (entry.type) {
    case "user":
      return { role: "user", text: entry.text };
    case "assistant": {
      const calls = entry.calls.map(({ id, name, arguments: text }) => ({ id, name: told.get(name) ?? name, arguments: parsed(text) }));
      return { role: "assistant", text: entry.text, calls };
    }
    case "result":
      return { role: "tool", id: entry.id, name: told.get(entry.name) ?? entry.name, content: entry.content, isError: entry.isError };
    default:
      return entry satisfies never;
  }
}

/** Arguments as the object they are; as text where the model wrote no JSON. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** `auto`, `none`, `required` or `{"tool": name}`; a demand for a tool that is not told is none. */
function toolChoice({ toolChoice: choice = "auto" }: ModelRequest, told: ReadonlyMap<string, string>): Json {
  if (told.size === 0) return "none";
  if (!choice.startsWith("tool:")) return choice;
  const name = told.get(choice.slice("tool:".length));
  return name === undefined ? "auto" : { tool: name };
}
