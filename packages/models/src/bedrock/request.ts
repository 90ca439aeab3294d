import type { ConverseStreamCommandInput, SystemContentBlock, Tool, ToolChoice, ToolConfiguration } from "@aws-sdk/client-bedrock-runtime";
import type { JsonObject } from "@toolbus/contracts";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { calledNames } from "../adapter/called-names.ts";
import type { ModelRequest } from "../model-provider.ts";
import { mostTools, type WireTools } from "../adapter/wire-tools.ts";
import { cachePoint, cachesPrompts } from "./cache-point.ts";
import { converseMessages } from "./messages.ts";
import { documentOf } from "./document.ts";

/** A request, with the digest that its answer must store. */
export interface ConverseRequest {
  /** The request in the SDK's form. */
  readonly input: ConverseStreamCommandInput;
  /** Returns the digest of the answer's prefix. */
  readonly prefix: () => string;
}

export function converseRequest(request: ModelRequest, tools: WireTools, settings: AdapterSettings): ConverseRequest {
  const { model, facts } = settings;
  const system = request.system.trim() === "" ? "" : request.system.toWellFormed();
  const toolConfig = toolConfigOf(request, tools, calledNames(request.transcript, tools).slice(0, mostTools("bedrock")));
  const head = { system, tools: toolConfig?.tools ?? [] };
  const { messages, prefix } = converseMessages(request.transcript, { tools, settings, head });
  const sampled = facts.sampling && request.temperature !== undefined;
  const input: ConverseStreamCommandInput = {
    modelId: model,
    messages: [...messages],
    inferenceConfig: {
      maxTokens: Math.max(1, Math.min(request.maxTokens, facts.maxOutputTokens)),
      ...(sampled ? { temperature: request.temperature } : {}),
    },
    ...systemOf(system, settings),
    ...(toolConfig ? { toolConfig } : {}),
  };
  return { input, prefix };
}

function systemOf(system: string, settings: AdapterSettings): { system?: SystemContentBlock[] } {
  if (system === "") return {};
  const text = { text: system };
  return { system: cachesPrompts(settings) ? [text, { cachePoint }] : [text] };
}

/**
 * Returns the tools and the choice among them. The vendor refuses messages with calls or results without a list of tools. If no tools are offered,
 * the list therefore contains the called ones.
 */
function toolConfigOf(request: ModelRequest, { offered, names, wireName }: WireTools, called: readonly string[]): ToolConfiguration | null {
  const { toolChoice = "auto" } = request;
  const none = toolChoice === "none" || offered.length === 0;
  if (none && called.length === 0) return null;
  if (offered.length === 0) return { tools: called.map((name) => spec(name, "Not offered any more.", { type: "object", properties: {} })) };
  const tools = offered.map(({ name, description, parameters, strict }) => spec(name, description, parameters, strict));
  if (toolChoice === "required") return { tools, toolChoice: { any: {} } };
  const named = toolChoice.startsWith("tool:") ? toolChoice.slice("tool:".length) : null;
  if (named === null || !names.includes(named)) return { tools };
  return { tools, toolChoice: { tool: { name: wireName(named) } } satisfies ToolChoice };
}

function spec(name: string, description: string, schema: JsonObject, strict = false): Tool {
  return {
    toolSpec: {
      name,
      description,
      inputSchema: { json: documentOf(schema) },
      ...(strict ? { strict } : {}),
    },
  };
}
