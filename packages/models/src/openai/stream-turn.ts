import type { IncomingHttpHeaders } from "node:http";
import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import { type Endpoint, postEvents } from "./post-events.ts";
import { type Asked, faultError, streamError, unfinished, unreadable } from "./vendor-error.ts";

/**
 * Sends one request and gives each event of its stream to `read`, up to `[DONE]` or the end of the stream; whether the turn was whole by then is
 * the reader's to say. Rejects with the signal's reason, or with the error that the vendor's refusal, the broken connection or the `error` in the
 * stream is.
 */
export async function streamTurn(
  request: { readonly endpoint: Endpoint; readonly body: string; readonly signal: AbortSignal; readonly asked: Asked },
  read: (event: JsonObject) => void,
): Promise<void> {
  const { endpoint, body, signal, asked } = request;
  let headers: IncomingHttpHeaders = {};
  const fault = await postEvents(endpoint, body, signal, {
    onHeaders: (said) => (headers = said),
    onData: (data, open) => {
      if (data === "[DONE]") return true;
      const event = objectIn(data);
      if (event === null) throw open ? unfinished(asked) : unreadable(asked);
      const failure = failureIn(event);
      if (failure !== null) throw streamError(failure, headers, asked);
      read(event);
      return false;
    },
  });
  if (fault !== null) throw faultError(fault, asked);
}

/** Chat completions put it beside or in the place of a chunk; responses send an event, or a response that failed. */
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
