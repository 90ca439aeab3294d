import type { LiveEvent, TextReset } from "@toolbus/contracts";
import { sseBytes } from "./sse-writer.ts";

const written = new WeakMap<LiveEvent | TextReset, Buffer>();

/** Returns a live event's bytes on the wire. The feed gives all viewers of a run the same object, so the object is serialised only once. */
export function liveBytes(event: LiveEvent | TextReset): Buffer {
  const known = written.get(event);
  if (known) return known;
  const bytes = sseBytes({ name: event.type, data: JSON.stringify(event) });
  written.set(event, bytes);
  return bytes;
}
