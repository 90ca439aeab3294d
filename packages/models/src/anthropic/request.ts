import type Anthropic from "@anthropic-ai/sdk";
import type { AdapterSettings } from "../adapter-settings.ts";
import type { ModelRequest } from "../model-provider.ts";
import type { WireTools } from "../wire-tools.ts";
import { anthropicMessages, CACHED, toolNamesIn } from "./messages.ts";

/** The request as it is sent. */
export function messageParams(
  request: ModelRequest,
  tools: WireTools,
  { model, facts }: AdapterSettings,
): Anthropic.MessageCreateParamsStreaming {
  const messages = anthropicMessages(request.transcript, tools, model);
  return {
    model,
    stream: true,
    max_tokens: Math.max(1, Math.min(request.maxTokens, facts.maxOutputTokens)),
    messages,
    ...systemOf(request.system),
    ...toolsOf(request, tools, messages),
  };
}

/** The vendor's order is tools, system, messages: one mark at the end of the system prompt keeps the tools with it. */
function systemOf(system: string): Pick<Anthropic.MessageCreateParams, "system"> {
  if (system.trim() === "") return {};
  return { system: [{ type: "text", text: system.toWellFormed(), cache_control: CACHED }] };
}

function toolsOf(
  { toolChoice = "auto", parallelCalls = true }: ModelRequest,
  { offered, wireName, names }: WireTools,
  messages: readonly Anthropic.MessageParam[],
): Pick<Anthropic.MessageCreateParams, "tools" | "tool_choice"> {
  if (offered.length === 0) return toolsOfThePast(messages);
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

/** Messages with calls in them are refused when no tools are defined: what was called is, and may not be called again. */
function toolsOfThePast(messages: readonly Anthropic.MessageParam[]): Pick<Anthropic.MessageCreateParams, "tools" | "tool_choice"> {
  const names = toolNamesIn(messages);
  if (names.length === 0) return {};
  const tools = names.map((name): Anthropic.Tool => ({
    name,
    description: "Not offered any more.",
    input_schema: { type: "object", properties: {}, additionalProperties: false },
  }));
  return { tools, tool_choice: { type: "none" } };
}
