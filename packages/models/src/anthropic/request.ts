import type Anthropic from "@anthropic-ai/sdk";
import type { AdapterSettings } from "../adapter/adapter-settings.ts";
import { calledNames } from "../adapter/called-names.ts";
import type { ModelRequest } from "../model-provider.ts";
import { mostTools, type WireTools } from "../adapter/wire-tools.ts";
import { anthropicMessages, CACHED } from "./messages.ts";

/** A request, with the digest that its answer must store. */
export interface MessageRequest {
  /** The request as it is sent. */
  readonly params: Anthropic.MessageCreateParamsStreaming;
  /** Returns the digest of the answer's prefix. */
  readonly prefix: () => string;
}

export function messageRequest(request: ModelRequest, tools: WireTools, { model, facts }: AdapterSettings): MessageRequest {
  const system = request.system.trim() === "" ? "" : request.system.toWellFormed();
  const offered = toolsOf(request, tools);
  const head = { system, tools: offered.tools ?? [] };
  const { messages, prefix } = anthropicMessages(request.transcript, { tools, model, head });
  const params: Anthropic.MessageCreateParamsStreaming = {
    model,
    stream: true,
    max_tokens: Math.max(1, Math.min(request.maxTokens, facts.maxOutputTokens)),
    messages: [...messages],
    ...systemOf(system),
    ...offered,
  };
  return { params, prefix };
}

/** The vendor's order is tools, system, messages, so one mark at the end of the system prompt also covers the tools. */
function systemOf(system: string): Pick<Anthropic.MessageCreateParams, "system"> {
  return system === "" ? {} : { system: [{ type: "text", text: system, cache_control: CACHED }] };
}

function toolsOf(request: ModelRequest, wire: WireTools): Pick<Anthropic.MessageCreateParams, "tools" | "tool_choice"> {
  const { toolChoice = "auto", parallelCalls = true, transcript } = request;
  const { offered, wireName, names } = wire;
  if (offered.length === 0) return toolsOfThePast(calledNames(transcript, wire));
  const tools = offered.map(({ name, description, parameters, strict }): Anthropic.Tool => ({
    name,
    description,
    input_schema: { ...parameters, type: "object" },
    ...(strict ? { strict } : {}),
  }));
  if (toolChoice === "none") return { tools, tool_choice: { type: "none" } };
  const one = parallelCalls ? {} : { disable_parallel_tool_use: true };
  if (toolChoice === "required") return { tools, tool_choice: { type: "any", ...one } };
  const named = toolChoice === "auto" ? undefined : toolChoice.slice("tool:".length);
  if (named !== undefined && names.includes(named)) return { tools, tool_choice: { type: "tool", name: wireName(named), ...one } };
  return { tools, tool_choice: { type: "auto", ...one } };
}

/** Defines the tools of earlier calls and forbids new calls, because the vendor refuses messages with calls if no tools are defined. */
function toolsOfThePast(called: readonly string[]): Pick<Anthropic.MessageCreateParams, "tools" | "tool_choice"> {
  const names = called.slice(0, mostTools("anthropic"));
  if (names.length === 0) return {};
  const tools = names.map((name): Anthropic.Tool => ({
    name,
    description: "Not offered any more.",
    input_schema: { type: "object", properties: {}, additionalProperties: false },
  }));
  return { tools, tool_choice: { type: "none" } };
}
