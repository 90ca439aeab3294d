import type { Json, JsonObject } from "@toolbus/contracts";
import { textOf } from "../wire/fields.ts";
import { textPieces } from "../wire/pieces.ts";
import type { Streamed } from "../wire/protocol.ts";
import { SSE_HEADERS, sseComment, sseFrame } from "../wire/sse.ts";
import { signatureOf } from "../wire/thinking-signature.ts";
import { digestOf, type Turn } from "../wire/turn.ts";
import type { ResponsesAsk } from "./responses-ask.ts";

/** Returns the whole response for a plain answer. */
export function responseObject(ask: ResponsesAsk, turn: Turn): JsonObject {
  const cutOff = turn.stop === "length" || turn.stop === "context";
  return {
    ...responseHead(ask),
    status: cutOff ? "incomplete" : "completed",
    incomplete_details: cutOff ? { reason: "max_output_tokens" } : null,
    output: outputItems(ask, turn),
    usage: {
      input_tokens: turn.usage.prompt,
      input_tokens_details: { cached_tokens: turn.usage.cached, cache_write_tokens: 0 },
      output_tokens: turn.usage.output,
      output_tokens_details: { reasoning_tokens: turn.usage.thinking },
      total_tokens: turn.usage.prompt + turn.usage.output,
    },
  };
}

/** Returns the response as a stream of named and numbered events. */
export function responseStream(ask: ResponsesAsk, turn: Turn): Streamed {
  const whole = responseObject(ask, turn);
  const begun = { ...responseHead(ask), status: "in_progress", incomplete_details: null, output: [], usage: null };
  const events: JsonObject[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
  ];
  for (const [output_index, item] of outputItems(ask, turn).entries()) {
    events.push({ type: "response.output_item.added", output_index, item: { ...item, ...emptied(item) } });
    events.push(...itemEvents(item, output_index));
    events.push({ type: "response.output_item.done", output_index, item });
  }
  const ending = { type: whole["status"] === "incomplete" ? "response.incomplete" : "response.completed", response: whole };
  const frames = events.map((event, at) => frame(event, at));
  return {
    kind: "stream",
    headers: SSE_HEADERS,
    frames: [...frames.slice(0, 3), sseComment("keep-alive"), ...frames.slice(3)],
    ending: [frame(ending, events.length)],
    broken: sseFrame(0, '{"type":"response.output_text.delta","item_id":"msg_1","delta":"hal', "response.output_text.delta"),
    failed: (status) =>
      frame(
        { type: "error", code: status === 429 ? "rate_limit_exceeded" : "server_error", message: "The server had an error.", param: null },
        2,
      ),
  };
}

/** Returns an item id of a turn, derived from the request. */
export function itemId(ask: ResponsesAsk, kind: "rs" | "msg" | "fc", index: number): string {
  return `${kind}_${digestOf(`${kind} ${index} ${ask.request.text}`).slice(0, 48)}`;
}

function frame(event: JsonObject, sequence_number: number): Buffer {
  return sseFrame(sequence_number, { ...event, sequence_number }, textOf(event["type"]));
}

function outputItems(ask: ResponsesAsk, turn: Turn): readonly JsonObject[] {
  const items: JsonObject[] = [];
  if (turn.thinking !== "") {
    const summary = [{ type: "summary_text", text: turn.thinking }];
    const id = itemId(ask, "rs", 0);
    items.push({ id, type: "reasoning", summary, encrypted_content: signatureOf(turn.thinking, id) });
  }
  if (turn.text !== "" || turn.stop === "refusal") {
    const part: Json =
      turn.stop === "refusal"
        ? { type: "refusal", refusal: turn.text || "I cannot help with that." }
        : { type: "output_text", text: turn.text, annotations: [], logprobs: [] };
    items.push({ id: itemId(ask, "msg", 0), type: "message", status: "completed", role: "assistant", content: [part] });
  }
  for (const [index, { id, name, raw }] of turn.calls.entries())
    items.push({ id: itemId(ask, "fc", index), type: "function_call", status: "completed", call_id: id, name, arguments: raw });
  return items;
}

/** Returns the empty members of an item that is being announced. Deltas fill them later. */
function emptied({ type }: JsonObject): JsonObject {
  if (type === "message") return { content: [], status: "in_progress" };
  return type === "function_call" ? { arguments: "", status: "in_progress" } : { summary: [] };
}

function itemEvents(item: JsonObject, output_index: number): readonly JsonObject[] {
  const at = { item_id: item["id"] ?? "", output_index };
  if (item["type"] === "function_call") {
    const raw = textOf(item["arguments"]);
    const name = "response.function_call_arguments";
    return [
      ...textPieces(raw, 3).map((delta) => ({ type: `${name}.delta`, ...at, delta })),
      { type: `${name}.done`, ...at, arguments: raw },
    ];
  }
  if (item["type"] !== "message") return [];
  const [part = {}] = item["content"] as readonly JsonObject[];
  const here = { ...at, content_index: 0 };
  const [member, name] =
    part["type"] === "refusal" ? (["refusal", "response.refusal"] as const) : (["text", "response.output_text"] as const);
  const text = textOf(part[member]);
  return [
    { type: "response.content_part.added", ...here, part: { ...part, [member]: "" } },
    ...["", ...textPieces(text, 9)].map((delta) => ({
      type: `${name}.delta`,
      ...here,
      delta,
      ...(member === "text" ? { logprobs: [] } : {}),
    })),
    { type: `${name}.done`, ...here, [member]: text, ...(member === "text" ? { logprobs: [] } : {}) },
    { type: "response.content_part.done", ...here, part },
  ];
}

function responseHead({ body, request }: ResponsesAsk): JsonObject {
  return {
    id: `resp_${digestOf(`response ${request.text}`).slice(0, 48)}`,
    object: "response",
    created_at: 1_790_000_000,
    error: null,
    instructions: body["instructions"] ?? null,
    metadata: {},
    model: body["model"] ?? "",
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    temperature: 1,
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    top_p: 1,
    max_output_tokens: body["max_output_tokens"] ?? null,
    previous_response_id: null,
    // The vendor stores a response by default. The answer states this, so that a test finds a client that forgot to opt out.
    store: body["store"] ?? true,
  };
}
