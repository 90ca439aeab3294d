import type { Problem, ProblemCode } from "@toolbus/contracts";
import { HttpProblem } from "@toolbus/runtime";

/** A refusal, in the words of the HTTP answer. */
export interface Refused {
  readonly kind: "refused";
  readonly code: ProblemCode;
  /** What happened, and to what. */
  readonly detail: string;
  /** What to do. */
  readonly remedy: string;
  readonly errors?: readonly Problem[];
  /** The time after which the caller can ask again, in seconds. */
  readonly retryAfterS?: number;
}

export function refused(code: ProblemCode, detail: string, remedy: string, errors?: readonly Problem[]): Refused {
  return { kind: "refused", code, detail, remedy, ...(errors ? { errors } : {}) };
}

/** Returns the value if it is not a refusal. Otherwise throws the problem for the HTTP answer. */
export function orProblem<T extends { readonly kind: string }>(outcome: T | Refused): T {
  if (!isRefused(outcome)) return outcome;
  const { code, detail, remedy, errors, retryAfterS } = outcome;
  const headers = retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) };
  throw new HttpProblem(code, detail, { remedy, ...(errors ? { errors } : {}) }, headers);
}

/** Returns whether this is a refusal. */
export function isRefused(outcome: object): outcome is Refused {
  return "kind" in outcome && outcome.kind === "refused";
}

/** Returns the refusal for an Idempotency-Key that was used before with another request. */
export function keyReused(): Refused {
  return refused("idempotency_key_reused", "This Idempotency-Key was used for another request.", "Use a new key for a new request.");
}
