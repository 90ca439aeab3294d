import type { ChatCompletionCreateParamsStreaming, ChatCompletionFunctionTool } from "openai/resources/chat/completions";
import type { ModelRequest } from "../model-provider.ts";
import type { CompiledTool } from "../schema/compile-tool.ts";
import type { ChatVendor } from "./chat-vendor.ts";
import { type SentTools, sentChoice } from "./sent-tools.ts";

/** A tool as chat completions take it. */
export function chatTool({ name, description, parameters, strict }: CompiledTool): ChatCompletionFunctionTool {
  return { type: "function", function: { name, description, parameters, ...(strict ? { strict } : {}) } };
}

/** The body of a request, as JSON text. `messages` and the tools are JSON already: they are most of it, and known from the turn before. */
export function chatRequest(
  vendor: ChatVendor,
  model: string,
  request: ModelRequest,
  { messages, tools, sampling }: { readonly messages: string; readonly tools: SentTools; readonly sampling: boolean },
): string {
  const choice = sentChoice(request, tools);
  const offered = tools.names.length > 0;
  const rest: Omit<ChatCompletionCreateParamsStreaming, "messages" | "tools"> = {
    model,
    stream: true,
    stream_options: { include_usage: true },
    [vendor.lengthMember]: request.maxTokens,
    ...(sampling && request.temperature !== undefined ? { temperature: request.temperature } : {}),
    ...(choice !== null && vendor.toolChoice
      ? { tool_choice: typeof choice === "string" ? choice : { type: "function", function: choice } }
      : {}),
    // Only the no is said: it is not the default, and some models refuse to hear of it at all.
    ...(offered && vendor.parallelCalls && request.parallelCalls === false ? { parallel_tool_calls: false } : {}),
  };
  return `${JSON.stringify(rest).slice(0, -1)},"messages":${messages}${offered ? `,"tools":${tools.json}` : ""}}`;
}
