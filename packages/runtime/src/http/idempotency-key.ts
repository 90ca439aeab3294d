import type { FastifyRequest } from "fastify";
import { HttpProblem } from "./problem.ts";

/** Returns the request's `Idempotency-Key`, if it has one. Throws a problem for an invalid key. */
export function idempotencyKey({ headers }: Pick<FastifyRequest, "headers">): string | undefined {
  const value = headers["idempotency-key"];
  if (value === undefined) return undefined;
  if (typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new HttpProblem("invalid_request", "The Idempotency-Key must be 1 to 255 visible ASCII characters.", {
    remedy: "A UUID is a good one.",
  });
}

/** Returns the problem for an idempotency key that was already used for another request. */
export function keyReused(): HttpProblem {
  return new HttpProblem("idempotency_key_reused", "This Idempotency-Key was used for another request.", {
    remedy: "Use a new key for a new request.",
  });
}
