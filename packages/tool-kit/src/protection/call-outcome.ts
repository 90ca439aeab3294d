import type { Ran } from "../calls/run-within.ts";
import type { CallOutcome } from "./breaker.ts";

/**
 * Returns what the end of a handler says about the dependencies of its tool. A time-out, a problem `unavailable` or `timeout`, and a thrown error are
 * failures. A refusal, such as wrong arguments or a missing access right, shows that the dependency works. A mistake in the handler's own code and a
 * cancelled call say nothing.
 */
export function outcomeOf(ran: Ran<unknown>): CallOutcome {
  switch (ran.kind) {
    case "value":
      return "works";
    case "interrupted":
      return ran.why === "timeout" ? "fails" : "unknown";
    case "problem":
      if (FAILURES.has(ran.problem.code)) return "fails";
      return ran.problem.code === "execution_failed" ? "unknown" : "works";
    case "threw":
      return isMistake(ran.error) ? "unknown" : "fails";
  }
}

const FAILURES: ReadonlySet<string> = new Set(["unavailable", "timeout"]);

/** Returns whether the error is most likely a mistake in the code. `fetch` throws a TypeError, too, whose cause is the error of the network. */
function isMistake(error: unknown): boolean {
  if (error instanceof ReferenceError || error instanceof RangeError) return true;
  return error instanceof TypeError && error.cause === undefined;
}
