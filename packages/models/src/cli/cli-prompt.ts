import type { Json, JsonObject, TranscriptEntry } from "@toolbus/contracts";
import type { ModelRequest } from "../model-provider.ts";
import { type WireTools, wireTools } from "../adapter/wire-tools.ts";

/** The version of the document. It changes when a field changes its meaning. docs/models.md describes each version. */
const VERSION = 1;

/** The text for the command, and the tools with which the adapter reads the calls in the answer. */
export interface CliPrompt {
  readonly document: string;
  /** The tools in the prompt. */
  readonly tools: WireTools;
}

/** Returns the whole prompt as one JSON document. The document itself explains how to answer, so that a command may pass it to a model unchanged. */
export function cliPrompt(request: ModelRequest, model: string): CliPrompt {
  const tools = wireTools(request.toolChoice === "none" ? [] : request.tools, "cli");
  const document: JsonObject = {
    version: VERSION,
    instructions: instructions(tools.offered.length > 0),
    model,
    system: request.system,
    messages: request.transcript.map((entry) => message(entry, tools)),
    tools: tools.offered.map(({ name, description, parameters }) => ({ name, description, parameters })),
    toolChoice: toolChoice(request, tools),
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

function message(entry: TranscriptEntry, { wireName }: WireTools): JsonObject {
  switch (entry.type) {
    case "user":
      return { role: "user", text: entry.text };
    case "assistant": {
      const calls = entry.calls.map(({ id, name, arguments: text }) => ({ id, name: wireName(name), arguments: parsed(text) }));
      return { role: "assistant", text: entry.text, calls };
    }
    case "result":
      return { role: "tool", id: entry.id, name: wireName(entry.name), content: entry.content, isError: entry.isError };
    default:
      return entry satisfies never;
  }
}

/** Returns the arguments as a value, or as text if the model did not write JSON. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Returns `auto`, `none`, `required` or `{"tool": name}`. It ignores a demand for a tool that is not in the prompt. */
function toolChoice({ toolChoice: choice = "auto" }: ModelRequest, { names, wireName }: WireTools): Json {
  if (names.length === 0) return "none";
  if (!choice.startsWith("tool:")) return choice;
  const name = choice.slice("tool:".length);
  return names.includes(name) ? { tool: wireName(name) } : "auto";
}
