import { MAX_LISTED_WRITES, type RunWrite, type RunWrites } from "./documents/agent.ts";

/** The writes of a run, with one more ended write. */
export function withWrite(writes: RunWrites | undefined, write: RunWrite): RunWrites {
  const { happened, unknown, latest } = writes ?? { happened: 0, unknown: 0, latest: [] };
  return {
    happened: happened + (write.status === "ok" ? 1 : 0),
    unknown: unknown + (write.status === "outcome_unknown" ? 1 : 0),
    latest: [...latest, write].slice(-MAX_LISTED_WRITES),
  };
}

/** The same with the outcome of one of them that was unknown until now. One that is no longer listed is only counted. */
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
 * What a run has changed, in one clause without a full stop: "1 write happened: restart_service (Restart pay), approved by ana". Null when it has changed nothing and
 * may not have either.
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

/** The message of a run that ends early: what it changed comes first, so that nobody reads it as "nothing was done". */
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

function nameOf({ tool, effect, approvedBy = [] }: RunWrite): string {
  const what = effect === undefined ? tool : `${tool} (${effect.replace(/\.$/, "")})`;
  if (approvedBy.length === 0) return what;
  return `${what}, ${approvedBy.length === 1 && approvedBy[0] === "policy" ? "allowed by policy" : `approved by ${approvedBy.join(" and ")}`}`;
}
