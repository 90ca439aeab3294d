import type { Json, JsonObject } from "@toolbus/contracts";
import { parsed } from "../wire/fields.ts";
import { textPieces } from "../wire/pieces.ts";
import type { Streamed } from "../wire/protocol.ts";
import type { Turn } from "../wire/turn.ts";
import { bedrockException } from "./bedrock-error.ts";
import { eventFrame } from "./event-frame.ts";
import { signatureOf } from "../wire/thinking-signature.ts";

/** Returns the answer of Converse. */
export function converseOutput(turn: Turn, model: string): JsonObject {
  const content: Json[] = [
    ...(turn.thinking === ""
      ? []
      : [{ reasoningContent: { reasoningText: { text: turn.thinking, signature: signatureOf(turn.thinking, model) } } }]),
    ...(turn.text === "" ? [] : [{ text: turn.text }]),
    ...turn.calls.map(({ id, name, raw }) => ({ toolUse: { toolUseId: id, name, input: parsed(raw) ?? raw } })),
  ];
  return { output: { message: { role: "assistant", content } }, stopReason: stopOf(turn), usage: usageOf(turn), metrics: METRICS };
}

/** Returns the answer of ConverseStream in binary frames. A text block has no start event, and arguments are in pieces of one to three characters. */
export function converseStream(turn: Turn, model: string): Streamed {
  const frames: Buffer[] = [event("messageStart", { role: "assistant" })];
  let contentBlockIndex = 0;
  const block = (start: JsonObject | null, deltas: readonly JsonObject[]) => {
    if (start) frames.push(event("contentBlockStart", { contentBlockIndex, start }));
    frames.push(...deltas.map((delta) => event("contentBlockDelta", { contentBlockIndex, delta })));
    frames.push(event("contentBlockStop", { contentBlockIndex: contentBlockIndex++ }));
  };
  if (turn.thinking !== "") {
    const signature = { reasoningContent: { signature: signatureOf(turn.thinking, model) } };
    block(null, [...textPieces(turn.thinking, 12).map((text) => ({ reasoningContent: { text } })), signature]);
  }
  if (turn.text !== "")
    block(
      null,
      ["", ...textPieces(turn.text, 9)].map((text) => ({ text })),
    );
  for (const { id, name, raw } of turn.calls) {
    const pieces = raw === "{}" ? [] : ["", ...textPieces(raw, 3)];
    block(
      { toolUse: { toolUseId: id, name } },
      pieces.map((input) => ({ toolUse: { input } })),
    );
  }
  return {
    kind: "stream",
    headers: { "content-type": "application/vnd.amazon.eventstream", "x-amzn-requestid": REQUEST_ID },
    frames,
    ending: [event("messageStop", { stopReason: stopOf(turn) }), event("metadata", { usage: usageOf(turn), metrics: METRICS })],
    broken: eventFrame(eventHeaders("contentBlockDelta"), '{"contentBlockIndex":0,"delta":{"te'),
    failed(status) {
      const { type, message } = bedrockException(status, "The server was told to fail.");
      const name = type.charAt(0).toLowerCase() + type.slice(1);
      return eventFrame({ ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" }, { message });
    },
  };
}

export const REQUEST_ID = "00000000-0000-4000-8000-00000000b0de";
const METRICS = { latencyMs: 1 };

/** The padding hides the length of a payload from an observer of the network. A client ignores it. */
function event(type: string, payload: JsonObject): Buffer {
  return eventFrame(eventHeaders(type), { ...payload, p: "abcdefgh" });
}

function eventHeaders(type: string): Readonly<Record<string, string>> {
  return { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
}

function stopOf({ stop }: Turn): string {
  const reasons = {
    end: "end_turn",
    calls: "tool_use",
    length: "max_tokens",
    refusal: "content_filtered",
    pause: "end_turn",
    context: "model_context_window_exceeded",
  } as const;
  return reasons[stop];
}

/** Returns the usage. `inputTokens` excludes the tokens that were read from the cache. */
function usageOf({ usage }: Turn): JsonObject {
  return {
    inputTokens: usage.prompt - usage.cached,
    outputTokens: usage.output,
    totalTokens: usage.prompt + usage.output,
    cacheReadInputTokens: usage.cached,
    cacheWriteInputTokens: 0,
  };
}
