import { eventReader } from "./event-reader.ts";
import type { StreamedAnswer } from "./streamed-answer.ts";

/**
 * Receives an event. `open` is true if the stream ended before the event did. Returns true for the last event. If it throws, the reading ends and the
 * connection is closed.
 */
export type OnEvent = (data: string, open: boolean) => boolean;

/** Reads an answer as server-sent events, until `onEvent` reports the last event or the stream ends. Rejects as `answer.read` does. */
export async function readEvents(answer: StreamedAnswer, onEvent: OnEvent): Promise<void> {
  const decoder = new TextDecoder();
  let last = false;
  const events = eventReader((data, open) => {
    last ||= onEvent(data, open);
  });
  await answer.read((piece) => {
    events.push(decoder.decode(piece, { stream: true }));
    return last;
  });
  if (last) return;
  events.push(decoder.decode());
  events.end();
}
