import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Endless } from "../model-server.ts";
import type { Protocol, Reply } from "./protocol.ts";

// The size of one write in bytes, which is as much as a socket accepts.
const BLOCK_BYTES = 65_536;

/** Sends data without end, as fast as the client reads it, until the client disconnects. */
export function sendEndless(outgoing: ServerResponse, reply: Reply, { of, packed = false }: Endless, protocol: Protocol): void {
  const stream = reply.kind === "stream" ? reply : null;
  if (of === "error") {
    outgoing.writeHead(500, { "content-type": "application/json", ...(packed ? PACKED : {}) });
    const body = JSON.stringify(protocol.failure(500, "x".repeat(1000)).body);
    return send(outgoing, "", Buffer.from(`${body}\n`), packed);
  }
  outgoing.writeHead(200, { ...(stream?.headers ?? { "content-type": "application/json" }), ...(packed ? PACKED : {}) });
  const frames = stream?.frames ?? [Buffer.from('{"a":1}\n')];
  const half = Math.floor((frames.length * 2) / 3);
  if (of === "event")
    send(outgoing, Buffer.concat([...frames.slice(0, half), beginningOfEvent(stream?.headers ?? {})]), Buffer.from("x"), packed);
  else send(outgoing, Buffer.concat(frames.slice(0, half)), frames[half] ?? Buffer.from("\n"), packed);
}

const PACKED = { "content-encoding": "gzip" } as const;

/** Returns the beginning of an event to which all later bytes belong. It is an open line, or a frame with a stated length of a gibibyte. */
function beginningOfEvent(headers: Readonly<Record<string, string>>): Buffer {
  const framed = headers["content-type"]?.includes("amazon.eventstream") ?? false;
  return framed ? Buffer.from([0x40, 0, 0, 0]) : Buffer.from("data: ");
}

function send(outgoing: ServerResponse, first: Buffer | string, again: Buffer, packed: boolean): void {
  const block = Buffer.concat(Array.from({ length: Math.ceil(BLOCK_BYTES / again.length) }, () => again));
  const endless = Readable.from(
    (function* () {
      yield Buffer.from(first);
      for (;;) yield block;
    })(),
    { objectMode: false },
  );
  // The pipeline ends only with an error, when the client disconnects.
  void pipeline(packed ? [endless, createGzip(), outgoing] : [endless, outgoing]).catch(() => undefined);
}
