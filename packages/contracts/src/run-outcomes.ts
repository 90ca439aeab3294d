import type { Run, RunWrite } from "./documents/agent.ts";

/**
 * What became of the writes of a run, beside its status. `filed`: its report. `denied`: people or policy refused a write. `expired`: nobody decided in
 * time, or what was approved did not begin in time. `unknown`: a write may have happened or not. `failed`: a write did not work, or the run failed.
 */
export const RUN_OUTCOMES = ["filed", "denied", "expired", "unknown", "failed"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** What can be said of a run's writes so far, in the order of the list; none of a run that only read, or whose writes all happened. */
export function outcomesOf({ status, report, writes }: Pick<Run, "status" | "report" | "writes">): RunOutcome[] {
  const { latest = [], unknown = 0 } = writes ?? {};
  const found = new Set<RunOutcome | null>(latest.map((write, n) => outcomeOf(write, latest.slice(n + 1))));
  if (unknown > 0) found.add("unknown");
  if (status === "failed") found.add("failed");
  if (report) found.add(OF_FILING[report.filing.status]);
  return RUN_OUTCOMES.filter((outcome) => found.has(outcome));
}

function outcomeOf({ tool, status, code }: RunWrite, later: readonly RunWrite[]): RunOutcome | null {
  if (status === "ok" || status === "cancelled" || code === "skipped") return null;
  if (status === "outcome_unknown") return "unknown";
  if (code === "approval_expired" || code === "approval_lapsed") return "expired";
  if (status === "denied" && code !== "revision_requested") return "denied";
  // The model corrects what was refused for its arguments, or sent back, and calls the tool again: then that counts.
  if (later.some((other) => other.tool === tool)) return null;
  return status === "denied" ? "denied" : "failed";
}

const OF_FILING = {
  filed: "filed",
  denied: "denied",
  expired: "expired",
  outcome_unknown: "unknown",
  failed: "failed",
  not_attempted: null,
  cancelled: null,
} as const satisfies Record<NonNullable<Run["report"]>["filing"]["status"], RunOutcome | null>;
