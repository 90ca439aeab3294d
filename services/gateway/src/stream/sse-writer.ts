import type { ServerResponse } from "node:http";

/** Writes server-sent events to one client (WHATWG HTML, section 9.2). A client that does not read is disconnected, never buffered for. */
export interface SseWriter {
  /** False when the client is gone, or was just disconnected for being too far behind. */
  event(event: { readonly id?: string; readonly name: string; readonly data: string }): boolean;
  comment(text: string): boolean;
  end(): void;
}

export function sseWriter(response: ServerResponse, maxBuffered: number): SseWriter {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
    connection: "keep-alive",
  });
  // How long a browser waits before it comes back.
  response.write("retry: 500\n\n");
  return {
    event: ({ id, name, data }) => write(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`),
    comment: (text) => write(`: ${text}\n\n`),
    end: () => response.end(),
  };

  function write(text: string): boolean {
    if (response.destroyed || response.writableEnded) return false;
    response.write(text);
    if (response.writableLength <= maxBuffered) return true;
    response.destroy();
    return false;
  }
}
