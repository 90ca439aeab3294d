import type { Json, JsonObject } from "@toolbus/contracts";
import { parsed, textOf } from "../wire/fields.ts";
import { textPieces } from "../wire/pieces.ts";
import type { Streamed } from "../wire/protocol.ts";
import { SSE_HEADERS, sseFrame } from "../wire/sse.ts";
import { digestOf, type Turn } from "../wire/turn.ts";
import { anthropicError } from "./anthropic-error.ts";

/** Returns the whole message for a plain answer. */
export function anthropicMessage(turn: Turn, model: string, requestText: string, signature: string): JsonObject {
  return {
    ...messageHead(turn, model, requestText),
    content: blocksOf(turn, signature),
    ...stopOf(turn),
    usage: usageOf(turn, turn.usage.output),
  };
}

/** Returns the message as a stream of named events. It contains pings, empty deltas, and arguments in pieces of one to three characters. */
export function anthropicStream(turn: Turn, model: string, requestText: string, signature: string): Streamed {
  const events: JsonObject[] = [
    {
      type: "message_start",
      message: {
        ...messageHead(turn, model, requestText),
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        usage: usageOf(turn, 1),
      },
    },
    { type: "ping" },
  ];
  let index = 0;
  if (turn.thinking !== "") {
    const deltas = textPieces(turn.thinking, 12).map((thinking) => ({ type: "thinking_delta", thinking }));
    const signed = { type: "signature_delta", signature };
    events.push(...blockEvents(index++, { type: "thinking", thinking: "", signature: "" }, [...deltas, signed]));
  }
  if (turn.text !== "") {
    const deltas = ["", ...textPieces(turn.text, 9)].map((text) => ({ type: "text_delta", text }));
    events.push(...blockEvents(index++, { type: "text", text: "", citations: null }, deltas));
  }
  for (const { id, name, raw } of turn.calls) {
    const pieces = raw === "{}" ? [""] : ["", ...textPieces(raw, 3)];
    const deltas = pieces.map((text) => ({ type: "input_json_delta", partial_json: text }));
    events.push(...blockEvents(index++, { type: "tool_use", id, name, input: {}, caller: { type: "direct" } }, deltas));
  }
  const ending = [{ type: "message_delta", delta: stopOf(turn), usage: usageOf(turn, turn.usage.output) }, { type: "message_stop" }];
  return {
    kind: "stream",
    headers: SSE_HEADERS,
    frames: events.map(frame),
    ending: ending.map((event, at) => frame(event, events.length + at)),
    broken: sseFrame(0, '{"type":"content_block_delta","index":0,"delta":{"type":"text_de', "content_block_delta"),
    failed: (status) => sseFrame(0, anthropicError(status, "Overloaded"), "error"),
  };
}

function frame(event: JsonObject, turn: number): Buffer {
  return sseFrame(turn, event, textOf(event["type"]));
}

function blockEvents(index: number, block: JsonObject, deltas: readonly JsonObject[]): readonly JsonObject[] {
  const middle = deltas.flatMap((delta, at): readonly JsonObject[] => {
    const event = { type: "content_block_delta", index, delta };
    return at === 2 ? [{ type: "ping" }, event] : [event];
  });
  return [{ type: "content_block_start", index, content_block: block }, ...middle, { type: "content_block_stop", index }];
}

function blocksOf(turn: Turn, signature: string): readonly Json[] {
  return [
    ...(turn.thinking === "" ? [] : [{ type: "thinking", thinking: turn.thinking, signature }]),
    ...(turn.text === "" ? [] : [{ type: "text", text: turn.text, citations: null }]),
    // A plain answer has arguments as a value. If the model wrote broken JSON, the vendor sends the raw text instead.
    ...turn.calls.map(({ id, name, raw }) => ({ type: "tool_use", id, name, input: parsed(raw) ?? raw, caller: { type: "direct" } })),
  ];
}

function messageHead(turn: Turn, model: string, requestText: string): JsonObject {
  return { id: `msg_01${digestOf(`message ${requestText}`).slice(0, 22)}`, type: "message", role: "assistant", model, container: null };
}

function stopOf({ stop }: Turn): JsonObject {
  const reasons = {
    end: "end_turn",
    calls: "tool_use",
    length: "max_tokens",
    refusal: "refusal",
    pause: "pause_turn",
    context: "model_context_window_exceeded",
  } as const;
  const details = stop === "refusal" ? { type: "refusal", category: null, explanation: "This was refused." } : null;
  return { stop_reason: reasons[stop], stop_sequence: null, stop_details: details };
}

function usageOf({ usage }: Turn, output: number): JsonObject {
  return {
    input_tokens: usage.prompt - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: output,
    service_tier: "standard",
  };
}
