import { eventReader } from "./event-reader.ts";

/** `open`: the stream ended before the event did. True says that it was the last one. What is thrown ends the reading, and the connection. */
export type OnEvent = (data: string, open: boolean) => boolean;

// After its last event a stream is over; a server that keeps it open all the same is left.
const AFTER_LAST_MS = 1000;

/**
 * Reads an answer as server-sent events, up to the one that `onEvent` calls the last or the end of the stream. Rejects with `broken` of the error when
 * the connection breaks; the signal of the request ends it likewise.
 *
 * Our own reading, and not the SDK's stream: that one ends the same way whether `[DONE]` came or the connection was closed before it.
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

/** Reads to the end, so that the connection can be used again; nobody waits for that. */
function leave(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), AFTER_LAST_MS);
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  void rest()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
