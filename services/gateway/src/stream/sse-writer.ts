import type { ServerResponse } from "node:http";

/** Writes server-sent events to one client (WHATWG HTML, section 9.2). A client that does not read is disconnected, never buffered for. */
export interface SseWriter {
  /** False when the client is gone, or was just disconnected for being too far behind. */
  event(event: { readonly id?: string; readonly name: string; readonly data: string }): boolean;
  comment(text: string): boolean;
  /** Waits until the client is not far behind; false when it is gone, or did not get there in `ms` milliseconds and was disconnected. */
  drained(ms: number): Promise<boolean>;
  end(): void;
}

/** `maxBuffered`: the bytes that a client may be behind when something more is written. */
export function sseWriter(response: ServerResponse, maxBuffered: number): SseWriter {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
    connection: "keep-alive",
  });
  let unsent = 0;
  let onSent = (): void => undefined;
  // How long a browser waits before it comes back.
  write("retry: 500\n\n");
  return {
    event: ({ id, name, data }) => write(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`),
    comment: (text) => write(`: ${text}\n\n`),
    drained: (ms) =>
      new Promise((resolve) => {
        if (gone() || response.writableLength <= maxBuffered / 2) return resolve(!gone());
        const timer = setTimeout(() => response.destroy(), ms);
        onSent = done;
        response.once("close", done);
        function done(): void {
          clearTimeout(timer);
          response.off("close", done);
          resolve(!gone());
        }
      }),
    end: () => response.end(),
  };

  function write(text: string): boolean {
    if (gone()) return false;
    // Judged by what waits already, so that one large event never costs a client its connection.
    if (response.writableLength > maxBuffered) {
      response.destroy();
      return false;
    }
    unsent++;
    // Not the event "drain": it comes only when more waits than Node's own limit, which is another one.
    response.write(text, () => {
      if (--unsent === 0) onSent();
    });
    return true;
  }

  function gone(): boolean {
    return response.destroyed || response.writableEnded;
  }
}
