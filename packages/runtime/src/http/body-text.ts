import type { FastifyRequest } from "fastify";

const texts = new WeakMap<FastifyRequest, string>();

/** Keeps the original body of a request as long as the request lives, because a signature covers exactly these bytes. */
export function keepBodyText(request: FastifyRequest, text: string): void {
  texts.set(request, text);
}

/** The original body of a request; empty if there was none. Bytes that are not UTF-8 cannot be what was signed. */
export function bodyTextOf(request: FastifyRequest): string {
  return texts.get(request) ?? "";
}
