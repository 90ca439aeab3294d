import type { JsonObject } from "@toolbus/contracts";
import { textPieces } from "../wire/pieces.ts";
import type { Streamed } from "../wire/protocol.ts";
import { SSE_HEADERS, sseComment, sseFrame } from "../wire/sse.ts";
import { digestOf, type Turn } from "../wire/turn.ts";
import type { ChatVendor } from "./chat-vendor.ts";
import { openaiError } from "./openai-error.ts";

/** A fixed second, so that answers are the same every day. */
const CREATED = 1_790_000_000;

/** Returns the whole completion for a plain answer. */
export function chatCompletion(vendor: ChatVendor, turn: Turn, model: string, requestText: string): JsonObject {
  const tools = turn.calls.map(({ id, name, raw }) => ({ id, type: "function", function: { name, arguments: raw } }));
  const refused = turn.stop === "refusal" && vendor.name === "openai";
  const message = {
    role: "assistant",
    content: refused || turn.text === "" ? null : turn.text,
    refusal: refused ? turn.text || "I cannot help with that." : null,
    ...(tools.length > 0 ? { tool_calls: tools } : {}),
    ...(vendor.thinkingMember !== null && turn.thinking !== "" ? { [vendor.thinkingMember]: turn.thinking } : {}),
  };
  return {
    ...head("chat.completion", model, requestText),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(turn, vendor) }],
    usage: usageOf(vendor, turn),
  };
}

/**
 * Returns the completion as a stream. It begins with a comment and the role with an empty text. The text, the calls one after another and the finish
 * reason follow. Arguments are in pieces of one to three characters. On request, a last chunk without choices contains the usage.
 */
export function chatStream(vendor: ChatVendor, turn: Turn, model: string, requestText: string, withUsage: boolean): Streamed {
  const base = head("chat.completion.chunk", model, requestText);
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(withUsage ? { usage: null } : {}),
  });
  const textMember = turn.stop === "refusal" && vendor.name === "openai" ? "refusal" : "content";
  const deltas: JsonObject[] = [{ role: "assistant", content: "", refusal: null }];
  const { thinkingMember } = vendor;
  if (thinkingMember !== null) deltas.push(...textPieces(turn.thinking, 12).map((text) => ({ content: "", [thinkingMember]: text })));
  deltas.push(...textPieces(turn.text, 9).map((text) => ({ [textMember]: text })), {});
  for (const [index, { id, name, raw }] of turn.calls.entries()) {
    deltas.push({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
    deltas.push(...textPieces(raw, 3).map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })));
  }
  const ending = [
    chunk({}, finishOf(turn, vendor)),
    // OpenRouter sends the usage even if the request does not ask for it.
    ...(withUsage ? [{ ...base, choices: [], usage: usageOf(vendor, turn) }] : []),
  ];
  const frames = deltas.map((delta, at) => sseFrame(at, chunk(delta)));
  const comment = vendor.name === "openrouter" ? "OPENROUTER PROCESSING" : "keep-alive";
  return {
    kind: "stream",
    headers: SSE_HEADERS,
    frames: [sseComment(comment), ...frames.slice(0, 3), sseComment(comment), ...frames.slice(3)],
    ending: [...ending.map((event, at) => sseFrame(at, event)), sseFrame(0, "[DONE]")],
    broken: sseFrame(0, '{"id":"chatcmpl-toolbus","object":"chat.completion.chunk","choices":[{"index":0,"del'),
    failed: (status) => failedFrame(vendor, status, base),
  };
}

function failedFrame(vendor: ChatVendor, status: number, base: JsonObject): Buffer {
  const { error } = openaiError(vendor.name, status, "The server is overloaded or not ready yet.") as { readonly error: JsonObject };
  // OpenRouter sends a chunk with the error and a choice whose finish reason is `error`.
  if (vendor.name === "openrouter")
    return sseFrame(0, { ...base, error, choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }] });
  return sseFrame(0, { error });
}

function head(object: string, model: string, requestText: string): JsonObject {
  return {
    id: `chatcmpl-${digestOf(`completion ${requestText}`).slice(0, 29)}`,
    object,
    created: CREATED,
    model,
    system_fingerprint: "fp_toolbus",
  };
}

function finishOf({ stop }: Turn, vendor: ChatVendor): string {
  switch (stop) {
    case "calls":
      return "tool_calls";
    case "length":
    case "context":
      return "length";
    case "refusal":
      // OpenAI reports a refusal in a separate member. The other vendors have only the finish reason.
      return vendor.name === "openai" ? "stop" : "content_filter";
    case "end":
    case "pause":
      return "stop";
  }
}

function usageOf(vendor: ChatVendor, { usage }: Turn): JsonObject {
  const counts = { prompt_tokens: usage.prompt, completion_tokens: usage.output, total_tokens: usage.prompt + usage.output };
  if (vendor.name === "ollama") return counts;
  return {
    ...counts,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.thinking },
    // The cost is in US dollars. Source: openrouter.ai/docs/use-cases/usage-accounting.
    ...(vendor.name === "openrouter" ? { cost: (usage.prompt + 5 * usage.output) / 1_000_000 } : {}),
  };
}
