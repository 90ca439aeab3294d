import type { FunctionTool, ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { ModelRequest } from "../model-provider.ts";
import type { CompiledTool } from "../schema/compile-tool.ts";
import { type SentTools, sentChoice } from "./sent-tools.ts";

/** A tool as responses take it: flat, and strict where it does not say that it is not. */
export function responsesTool({ name, description, parameters, strict }: CompiledTool): FunctionTool {
  return { type: "function", name, description, parameters, strict };
}

// The vendor refuses less.
const LEAST_TOKENS = 16;

/** The body of a request, as JSON text. `input` and the tools are JSON already. Nothing of it is kept by the vendor. */
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
