import type { Run, RunWrite } from "./documents/agent.ts";

/**
 * The outcomes of a run's writes, which its status does not show. `filed` means that the run's report was filed. `denied` means that people or the
 * policy refused a write. `expired` means that nobody decided in time, or that an approved write did not begin in time. `unknown` means that a write
 * may or may not have happened. `failed` means that a write or the run failed.
 */
export const RUN_OUTCOMES = ["filed", "denied", "expired", "unknown", "failed"] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/**
 * Returns the outcomes of a run so far, in the order of `RUN_OUTCOMES`: those of its writes and of its report, and `failed` if the run failed. A
 * write that happened, was cancelled or was skipped adds no outcome.
 */
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
  // The model corrects a write with invalid arguments, or one that was sent back, and calls the tool again. Only the later call then decides the
  // outcome.
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
