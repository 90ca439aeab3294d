import type { FastifyReply, FastifyRequest } from "fastify";
import { SAFE_HEADERS } from "./safe-headers.ts";

/** Returns whether the client accepts server-sent events. */
export function wantsEvents({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes("text/event-stream") ?? false;
}

/**
 * Answers with a stream that sends a `bye` event and ends. A browser's EventSource reconnects with its last id after such a stream, but never after
 * an answer such as 503 (WHATWG HTML, section 9.2.3).
 */
export function sayGoodbye(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, { ...SAFE_HEADERS, "content-type": "text/event-stream; charset=utf-8", connection: "close" });
  reply.raw.end(
    `retry: 2000\nevent: bye\ndata: ${JSON.stringify({ reason: "the server is stopping; reconnect with the last event's id" })}\n\n`,
  );
}
