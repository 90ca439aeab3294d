import type { ChatCompletionCreateParamsStreaming, ChatCompletionFunctionTool } from "openai/resources/chat/completions";
import type { ModelRequest } from "../model-provider.ts";
import type { CompiledTool } from "../schema/compile-tool.ts";
import type { ChatVendor } from "./chat-vendor.ts";
import { type SentTools, sentChoice } from "./sent-tools.ts";

/** Returns a tool in the form of chat completions. */
export function chatTool({ name, description, parameters, strict }: CompiledTool): ChatCompletionFunctionTool {
  return { type: "function", function: { name, description, parameters, ...(strict ? { strict } : {}) } };
}

/**
 * Returns the body of a request as JSON text. `messages` and the tools are already JSON text, because they are most of the body and mostly known from
 * the previous turn.
 */
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
    // The body contains only `false`, because `true` is the default and some models refuse the parameter.
    ...(offered && vendor.parallelCalls && request.parallelCalls === false ? { parallel_tool_calls: false } : {}),
  };
  return `${JSON.stringify(rest).slice(0, -1)},"messages":${messages}${offered ? `,"tools":${tools.json}` : ""}}`;
}
