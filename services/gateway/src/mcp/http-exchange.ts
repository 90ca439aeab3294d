import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { SAFE_HEADERS } from "@toolbus/runtime";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Answers a request in the form of the Fetch standard. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** Sends a request of Fastify to a handler in the form of the Fetch standard, and its answer to the client. If the client leaves, the signal aborts. */
export async function exchange(request: FastifyRequest, reply: FastifyReply, handle: FetchHandler): Promise<void> {
  const { raw } = reply;
  const left = new AbortController();
  const leave = (): void => left.abort();
  raw.once("close", leave);
  try {
    const headers = new Headers(
      Object.entries(request.headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    );
    // Nobody resolves this address. Only the headers and the body matter to the handler.
    const response = await handle(new Request("http://gateway/mcp", { method: "POST", headers, signal: left.signal }));
    // Until here, Fastify answers an error of the handler as a problem.
    reply.hijack();
    raw.writeHead(response.status, { ...Object.fromEntries(response.headers), ...SAFE_HEADERS, ...plain(reply) });
    if (response.body) await send(response.body, raw, left.signal).catch(() => undefined);
    raw.end();
  } finally {
    raw.off("close", leave);
  }
}

/** Sends the body as fast as the client reads it, until its end or until the client leaves. */
async function send(body: ReadableStream<Uint8Array>, raw: ServerResponse, signal: AbortSignal): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      if (!raw.write(value)) await once(raw, "drain", { signal }).catch(() => undefined);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function plain(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(
    Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
