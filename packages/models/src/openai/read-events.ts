import { eventReader } from "./event-reader.ts";

/**
 * Receives an event. `open` is true if the stream ended before the event did. Returns true for the last event. If it throws, the reading ends and the
 * connection is closed.
 */
export type OnEvent = (data: string, open: boolean) => boolean;

// A stream should end soon after its last event. If the server leaves it open for longer than this, the adapter closes the connection.
const AFTER_LAST_MS = 1000;

/**
 * Reads an answer as server-sent events, until `onEvent` reports the last event or the stream ends. Rejects with `broken(error)` if the connection
 * breaks or the request's signal aborts.
 *
 * It does not use the SDK's stream, because that stream does not show whether the connection was closed before `[DONE]`.
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

/** Reads the rest in the background, so that the connection can be reused. */
function leave(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), AFTER_LAST_MS);
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  void rest()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
