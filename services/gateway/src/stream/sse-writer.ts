import type { ServerResponse } from "node:http";

/** One server-sent event (WHATWG HTML, section 9.2). Only durable events have an id, because a client that reconnects continues there. */
export interface SseEvent {
  readonly id?: string;
  readonly name: string;
  readonly data: string;
}

/** Returns the event's bytes on the wire. They are the same for all recipients. */
export function sseBytes({ id, name, data }: SseEvent): Buffer {
  return Buffer.from(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`);
}

/** Writes server-sent events to one client. Disconnects a client that does not read, so that the buffer for the client is limited. */
export interface SseWriter {
  /** Returns false if the client is gone, or was disconnected because it was too far behind. */
  send(event: Buffer): boolean;
  comment(text: string): boolean;
  /** Returns whether the client is so far behind that `drained` would wait. */
  behind(): boolean;
  /**
   * Waits until the client is no longer far behind. Disconnects the client if this takes longer than `ms` milliseconds. Returns false if the client
   * is gone.
   */
  drained(ms: number): Promise<boolean>;
  end(): void;
}

type Header = readonly [name: string, value: string | number | readonly string[] | undefined];

/**
 * Returns a writer for this response. `maxBuffered` is the number of bytes that may still wait for the client at the next write. `headers` are added
 * to those of a stream.
 */
export function sseWriter(response: ServerResponse, maxBuffered: number, headers: readonly Header[]): SseWriter {
  // Node decides whether to keep the connection open, because it knows what the client asked for and handles HTTP/1.0.
  response.writeHead(200, {
    ...Object.fromEntries(headers.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  let unsent = 0;
  let onSent = (): void => undefined;
  // This is the time that a browser waits before it reconnects, in milliseconds.
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
    // The limit applies to the bytes that already wait, so that one large event never costs a client its connection.
    if (response.writableLength > maxBuffered) {
      response.destroy();
      return false;
    }
    unsent++;
    // The event "drain" does not help here. Node sends it only after the response has exceeded Node's own, different limit.
    response.write(bytes, () => {
      if (--unsent === 0) onSent();
    });
    return true;
  }

  function gone(): boolean {
    return response.destroyed || response.writableEnded;
  }
}
