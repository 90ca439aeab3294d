import type { FastifyRequest } from "fastify";

const texts = new WeakMap<FastifyRequest, string>();

/** Stores the original body of a request until the request is garbage-collected, because a signature covers exactly these bytes. */
export function keepBodyText(request: FastifyRequest, text: string): void {
  texts.set(request, text);
}

/** Returns the original body of a request, or an empty text if it had none. No signature matches a body with bytes that are not UTF-8. */
export function bodyTextOf(request: FastifyRequest): string {
  return texts.get(request) ?? "";
}
