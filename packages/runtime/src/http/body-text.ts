import type { FastifyRequest } from "fastify";

const texts = new WeakMap<FastifyRequest, string>();

/** Keeps the body of a request as it came, as long as the request lives: a signature is over these bytes and no others. */
export function keepBodyText(request: FastifyRequest, text: string): void {
  texts.set(request, text);
}

/** The body of a request as it came; empty where there was none. Bytes that are no UTF-8 are not what was signed, whatever they were. */
export function bodyTextOf(request: FastifyRequest): string {
  return texts.get(request) ?? "";
}
