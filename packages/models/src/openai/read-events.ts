import { eventReader } from "./event-reader.ts";

/** `open`: the stream ended before the event did. Returns true for the last event. If it throws, the reading ends and the connection is closed. */
export type OnEvent = (data: string, open: boolean) => boolean;

// A stream is over after its last event; if the server keeps it open, the connection is closed.
const AFTER_LAST_MS = 1000;

/**
 * Reads an answer as server-sent events, until `onEvent` reports the last one or the stream ends. Rejects with `broken(error)` if the connection
 * breaks; an abort of the request's signal ends it in the same way.
 *
 * It does not use the SDK's stream, because that ends the same way whether `[DONE]` came or the connection was closed before it.
 */
export async function readEvents(response: Response, onEvent: OnEvent, broken: (error: unknown) => Error): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let last = false;
  const events = eventReader((data, open) => {
    last ||= onEvent(data, open);
  });
  try {
    while (!last) {
      const { done, value } = await reader.read().catch((error: unknown) => Promise.reject(broken(error)));
      if (done) {
        events.push(decoder.decode());
        events.end();
        return;
      }
      events.push(decoder.decode(value, { stream: true }));
    }
    leave(reader);
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}

/** Reads to the end in the background, so that the connection can be reused. */
function leave(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), AFTER_LAST_MS);
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  void rest()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
