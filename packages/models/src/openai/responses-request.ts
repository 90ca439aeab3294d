import type { FunctionTool, ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { ModelRequest } from "../model-provider.ts";
import type { CompiledTool } from "../schema/compile-tool.ts";
import { type SentTools, sentChoice } from "./sent-tools.ts";

/** Returns a tool in the flat form of responses. `strict` is always sent, because the vendor's default is true. */
export function responsesTool({ name, description, parameters, strict }: CompiledTool): FunctionTool {
  return { type: "function", name, description, parameters, strict };
}

// The vendor refuses a smaller number.
const LEAST_TOKENS = 16;

/** Returns the body of a request as JSON text. `input` and the tools are already JSON text. The body asks the vendor to store nothing. */
export function responsesRequest(
  model: string,
  request: ModelRequest,
  { input, tools, sampling }: { readonly input: string; readonly tools: SentTools; readonly sampling: boolean },
): string {
  const choice = sentChoice(request, tools);
  const offered = tools.names.length > 0;
  const rest: Omit<ResponseCreateParamsStreaming, "input" | "tools"> = {
    model,
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: Math.max(request.maxTokens, LEAST_TOKENS),
    ...(request.system === "" ? {} : { instructions: request.system.toWellFormed() }),
    ...(sampling && request.temperature !== undefined ? { temperature: request.temperature } : {}),
    ...(choice === null ? {} : { tool_choice: typeof choice === "string" ? choice : { type: "function", ...choice } }),
    ...(offered && request.parallelCalls === false ? { parallel_tool_calls: false } : {}),
  };
  return `${JSON.stringify(rest).slice(0, -1)},"input":${input}${offered ? `,"tools":${tools.json}` : ""}}`;
}
