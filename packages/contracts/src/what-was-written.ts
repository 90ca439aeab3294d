import { MAX_LISTED_WRITES, type RunWrite, type RunWrites } from "./documents/agent.ts";

/** Returns the writes of a run with one more ended write. */
export function withWrite(writes: RunWrites | undefined, write: RunWrite): RunWrites {
  const { happened, unknown, latest } = writes ?? { happened: 0, unknown: 0, latest: [] };
  return {
    happened: happened + (write.status === "ok" ? 1 : 0),
    unknown: unknown + (write.status === "outcome_unknown" ? 1 : 0),
    latest: [...latest, write].slice(-MAX_LISTED_WRITES),
  };
}

/** Returns the writes with the outcome of one write that was unknown until now. If that write is no longer listed, only the counts change. */
export function withSettled(
  { happened, unknown, latest }: RunWrites,
  { callId, status, code, at }: Pick<RunWrite, "callId" | "status" | "code"> & { readonly at: number },
): RunWrites {
  return {
    happened: happened + (status === "ok" ? 1 : 0),
    unknown: Math.max(0, unknown - 1),
    latest: latest.map((write) => {
      if (write.callId !== callId) return write;
      const { code: _, ...rest } = write;
      return { ...rest, status, ...(code === undefined ? {} : { code }), settledAt: at };
    }),
  };
}

/**
 * Returns a run's changes as a clause without a full stop, such as "1 write happened: restart_service (Restart pay), approved by ana". Returns null
 * if the run certainly changed nothing.
 */
export function whatWasWritten(writes: RunWrites | undefined): string | null {
  if (!writes) return null;
  const clauses = [
    clauseOf(
      "happened",
      writes.happened,
      writes.latest.filter(({ status }) => status === "ok"),
    ),
    clauseOf(
      "may have happened",
      writes.unknown,
      writes.latest.filter(({ status }) => status === "outcome_unknown"),
    ),
  ];
  return clauses.filter((clause) => clause !== null).join("; ") || null;
}

/** Returns the message of a run that ends early. The message begins with the changes, so that nobody believes that the run did nothing. */
export function endedAfterWrites(writes: RunWrites | undefined, reason: string): string {
  const written = whatWasWritten(writes);
  return written === null ? reason : `${written}; then the run ended: ${reason}`;
}

function clauseOf(verb: string, count: number, listed: readonly RunWrite[]): string | null {
  if (count === 0) return null;
  const left = count - listed.length;
  const names = [...listed.map(nameOf), ...(left > 0 ? [`${left} more before`] : [])];
  return `${count} ${count === 1 ? "write" : "writes"} ${verb}: ${names.join("; ")}`;
}

function nameOf({ tool, effect, approvedBy = [], edited }: RunWrite): string {
  const what = effect === undefined ? tool : `${tool} (${effect.replace(/\.$/, "")})`;
  if (approvedBy.length === 0) return what;
  return `${what}, ${approvedBy.length === 1 && approvedBy[0] === "policy" ? "allowed by policy" : `approved by ${approvedBy.join(" and ")}${edited ? " with changed arguments" : ""}`}`;
}
