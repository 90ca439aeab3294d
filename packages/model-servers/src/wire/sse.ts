import type { Json } from "@toolbus/contracts";

/** Returns one server-sent event. `turn` selects the line ends, because both forms are legal and both occur. */
export function sseFrame(turn: number, data: Json | string, event?: string): Buffer {
  const end = turn % 3 === 2 ? "\r\n" : "\n";
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return Buffer.from(`${event === undefined ? "" : `event: ${event}${end}`}data: ${text}${end}${end}`);
}

/** Returns a line that every client ignores. */
export function sseComment(text: string): Buffer {
  return Buffer.from(`: ${text}\n\n`);
}

export const SSE_HEADERS = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" } as const;
