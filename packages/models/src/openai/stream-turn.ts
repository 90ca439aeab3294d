import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { untilAborted } from "../adapter/until-aborted.ts";
import type { OpenaiClient } from "./client.ts";
import { readEvents } from "./read-events.ts";
import type { StreamedAnswer } from "./streamed-answer.ts";
import { type Asked, brokenOff, notEvents, refusedRequest, streamError, unanswered, unfinished, unreadable } from "./vendor-error.ts";

interface TurnRequest {
  readonly client: OpenaiClient;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly asked: Asked;
}

/**
 * Sends one request and passes each event of its stream to `read`, until `[DONE]` or the end of the stream. The reader decides whether the turn is
 * complete. Rejects with the signal's reason at once, or with the error for a refusal of the vendor, a broken connection or an `error` in the stream.
 * After an abort, `read` may still receive events that arrived before.
 */
export async function streamTurn(request: TurnRequest, read: (event: JsonObject) => void): Promise<void> {
  const { signal, asked } = request;
  await untilAborted(signal, async () => {
    const answer = await answered(request);
    const { status, header } = answer;
    if (status < 200 || status > 299) throw refusedRequest(status, await beginningOf(answer), header, asked);
    if (!/\bevent-stream\b/i.test(header("content-type") ?? "")) throw notEvents(await beginningOf(answer), header, asked);
    const onEvent = (data: string, open: boolean): boolean => {
      if (data === "[DONE]") return true;
      const event = objectIn(data);
      if (event === null) throw open ? unfinished(asked) : unreadable(asked);
      const failure = failureIn(event);
      if (failure !== null) throw streamError(failure, header, asked);
      read(event);
      return false;
    };
    try {
      await readEvents(answer, onEvent);
    } catch (error) {
      throw brokenOff(error, asked);
    }
  });
}

async function answered({ client, body, signal, asked }: TurnRequest): Promise<StreamedAnswer> {
  try {
    return await client.post(body, signal);
  } catch (error) {
    throw unanswered(error, asked);
  }
}

/**
 * Returns the error in an event, or null. Chat completions send the error beside a chunk or in its place. Responses send an error event or a failed
 * response.
 */
function failureIn(event: JsonObject): Json {
  if (event["error"]) return event["error"];
  if (event["type"] === "error") return event;
  if (event["type"] !== "response.failed") return null;
  return (isJsonObject(event["response"]) ? event["response"]["error"] : null) ?? { message: "" };
}

function objectIn(data: string): JsonObject | null {
  try {
    const value = JSON.parse(data) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

// The maximum number of bytes to read of an answer that is not a stream. A vendor's explanation is shorter, but an error page of a proxy may be longer.
const MAX_BYTES = 65_536;

/** Returns the beginning of an answer that is not a stream, as far as it arrives. The status already shows the most important part. */
async function beginningOf(answer: StreamedAnswer): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const isEnough = (piece: Uint8Array): boolean => {
    pieces.push(piece);
    size += piece.length;
    return size >= MAX_BYTES;
  };
  await answer.read(isEnough).catch(() => undefined);
  // The rest of a long page is of no use.
  if (size >= MAX_BYTES) answer.drop();
  return Buffer.concat(pieces).subarray(0, MAX_BYTES).toString("utf8");
}
