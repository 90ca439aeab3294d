import type { ServerResponse } from "node:http";

/** One server-sent event (WHATWG HTML, section 9.2). Only durable events have an id: a client that reconnects continues there. */
export interface SseEvent {
  readonly id?: string;
  readonly name: string;
  readonly data: string;
}

/** The event as sent over the wire, serialised once for all recipients. */
export function sseBytes({ id, name, data }: SseEvent): Buffer {
  return Buffer.from(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`);
}

/** Writes server-sent events to one client. A client that does not read is disconnected; nothing is buffered for it without limit. */
export interface SseWriter {
  /** False if the client is gone, or was just disconnected for being too far behind. */
  send(event: Buffer): boolean;
  comment(text: string): boolean;
  /** Whether the client is so far behind that `drained` would wait. */
  behind(): boolean;
  /** Waits until the client is no longer far behind; false if it is gone, or did not catch up in `ms` milliseconds and was disconnected. */
  drained(ms: number): Promise<boolean>;
  end(): void;
}

type Header = readonly [name: string, value: string | number | readonly string[] | undefined];

/** `maxBuffered`: the bytes that a client may be behind when something more is written. `headers` are added to those of a stream. */
export function sseWriter(response: ServerResponse, maxBuffered: number, headers: readonly Header[]): SseWriter {
  // Node decides whether the connection is kept: it knows what the client asked for, and HTTP/1.0.
  response.writeHead(200, {
    ...Object.fromEntries(headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  let unsent = 0;
  let onSent = (): void => undefined;
  // How long a browser waits before it comes back.
  write("retry: 500\n\n");
  return {
    send: write,
    comment: (text) => write(`: ${text}\n\n`),
    behind: () => gone() || response.writableLength > maxBuffered / 2,
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

  function write(bytes: Buffer | string): boolean {
    if (gone()) return false;
    // Judged by the bytes that already wait, so that one large event never costs a client its connection.
    if (response.writableLength > maxBuffered) {
      response.destroy();
      return false;
    }
    unsent++;
    // Not the event "drain": it comes only when more waits than Node's own limit, which is another one.
    response.write(bytes, () => {
      if (--unsent === 0) onSent();
    });
    return true;
  }

  function gone(): boolean {
    return response.destroyed || response.writableEnded;
  }
}
