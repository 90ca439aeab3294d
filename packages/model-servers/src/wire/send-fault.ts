import type { ServerResponse } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import type { Delay, Fault } from "../model-server.ts";
import type { Protocol, Reply } from "./protocol.ts";
import { sendEndless } from "./send-endless.ts";

const DRIP_MS = 40;

/** Sends the reply with the fault. Every wait ends when the client disconnects. */
export function sendFault(outgoing: ServerResponse, reply: Reply, fault: Exclude<Fault, Delay>, protocol: Protocol): void {
  const json = { "content-type": "application/json" };
  switch (fault.kind) {
    case "status": {
      const { status, headers, body } = protocol.failure(fault.status, fault.message ?? "The server was told to fail.");
      const wait = fault.retryAfter === undefined ? {} : { "retry-after": String(fault.retryAfter) };
      outgoing.writeHead(status, { ...json, ...headers, ...wait }).end(JSON.stringify(body));
      return;
    }
    case "error-in-stream": {
      if (reply.kind === "stream") {
        outgoing.writeHead(200, reply.headers).end(Buffer.concat([...firstHalf(reply.frames), reply.failed(fault.status)]));
        return;
      }
      const { status, headers, body } = protocol.failure(fault.status, "Overloaded");
      outgoing.writeHead(status, { ...json, ...headers }).end(JSON.stringify(body));
      return;
    }
    case "cut": {
      outgoing.writeHead(200, {
        ...headersOf(reply),
        ...(reply.kind === "plain" ? { "content-length": String(bytesOf(reply).length) } : {}),
      });
      // The connection breaks only after the first part was sent, because the client must receive this part.
      outgoing.write(upToMidFrame(reply), () => cutLine(outgoing));
      return;
    }
    case "drip": {
      outgoing.writeHead(200, headersOf(reply));
      drip(outgoing, bytesOf(reply));
      return;
    }
    case "hang":
      return;
    case "content-type":
      outgoing.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html><title>Sign in</title><p>Welcome.</p>\n");
      return;
    case "broken-json":
      outgoing.writeHead(200, headersOf(reply));
      if (reply.kind === "stream") outgoing.end(Buffer.concat([...firstHalf(reply.frames), reply.broken, ...reply.ending]));
      else outgoing.end(bytesOf(reply).subarray(0, Math.floor(bytesOf(reply).length / 2)));
      return;
    case "silence":
      outgoing.writeHead(200, headersOf(reply));
      outgoing.write(reply.kind === "stream" ? Buffer.concat([...firstHalf(reply.frames)]) : "{");
      return;
    case "endless":
      return sendEndless(outgoing, reply, fault, protocol);
    case "no-end":
      outgoing.writeHead(200, headersOf(reply));
      outgoing.end(reply.kind === "stream" ? Buffer.concat(reply.frames) : JSON.stringify(reply.unended ?? reply.body));
      return;
  }
}

/** Sends every byte except the last one, byte by byte, and then nothing more. */
function drip(outgoing: ServerResponse, bytes: Buffer): void {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent < bytes.length - 1) outgoing.write(bytes.subarray(sent, ++sent));
  }, DRIP_MS);
  outgoing.once("close", () => clearInterval(timer));
}

/** Returns whole frames and half of the next one. */
function upToMidFrame(reply: Reply): Buffer {
  if (reply.kind === "plain") return bytesOf(reply).subarray(0, Math.floor(bytesOf(reply).length / 2));
  const whole = firstHalf(reply.frames);
  const next = [...reply.frames, ...reply.ending][whole.length];
  return Buffer.concat([...whole, ...(next ? [next.subarray(0, Math.ceil(next.length / 2))] : [])]);
}

/** Closes the connection itself, even if other HTTP/2 requests use it. */
function cutLine(outgoing: ServerResponse): void {
  const { stream } = outgoing as ServerResponse & { readonly stream?: ServerHttp2Stream };
  if (stream?.session) stream.session.destroy();
  else outgoing.destroy();
}

function firstHalf(frames: readonly Buffer[]): readonly Buffer[] {
  return frames.slice(0, Math.ceil(frames.length / 2));
}

function headersOf(reply: Reply): Readonly<Record<string, string>> {
  return reply.kind === "stream" ? reply.headers : { "content-type": "application/json", ...reply.headers };
}

function bytesOf(reply: Reply): Buffer {
  return reply.kind === "stream" ? Buffer.concat([...reply.frames, ...reply.ending]) : Buffer.from(JSON.stringify(reply.body));
}
