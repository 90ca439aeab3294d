import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { untilAborted } from "../adapter/until-aborted.ts";
import type { OpenaiClient } from "./client.ts";
import { readEvents } from "./read-events.ts";
import { beginningOf } from "../adapter/response-text.ts";
import { type Asked, brokenOff, notEvents, requestError, streamError, unfinished, unreadable } from "./vendor-error.ts";

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
    const response = await answered(request);
    const { headers } = response;
    if (!/\bevent-stream\b/i.test(headers.get("content-type") ?? "")) throw notEvents(await beginningOf(response), headers, asked);
    const onEvent = (data: string, open: boolean): boolean => {
      if (data === "[DONE]") return true;
      const event = objectIn(data);
      if (event === null) throw open ? unfinished(asked) : unreadable(asked);
      const failure = failureIn(event);
      if (failure !== null) throw streamError(failure, headers, asked);
      read(event);
      return false;
    };
    await readEvents(response, onEvent, (error) => brokenOff(error, asked));
  });
}

async function answered({ client, body, signal, asked }: TurnRequest): Promise<Response> {
  try {
    return await client.post(body, signal);
  } catch (error) {
    throw requestError(error, asked);
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
