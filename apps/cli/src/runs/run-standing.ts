import { counted, type RunOutcome, type RunView } from "@toolbus/contracts";

/**
 * Returns the state of a run for a list: its status and why it failed. For a run that has ended it adds the outcome of the report and of the writes.
 */
export function standingOf({ status, code, endedAt, outcomes = [], report, writes }: RunView): string {
  const why = status === "failed" && code !== undefined ? [code] : [];
  // The status is on the wire and in `--status`. Alone, it looks as if the run waited for its reader.
  if (status === "ready") return "ready: the model is next";
  if (endedAt === null || endedAt === undefined) return [status, ...why].join(": ");
  const filing = report && report.filing.status !== "not_attempted" ? report.filing.status : null;
  const others = outcomes.filter((outcome) => outcome !== (filing === "outcome_unknown" ? "unknown" : filing) && outcome !== status);
  const happened = (writes?.happened ?? 0) - (filing === "filed" ? 1 : 0);
  const reported = [
    ...why,
    ...(filing === null ? [] : [filing.replaceAll("_", " ")]),
    // A run that did not end well may still have changed something, so the text gives the number of its writes.
    ...(status !== "done" && happened > 0 ? [`${counted(happened, "write")} happened`] : []),
    ...others.map(inWords),
  ];
  return reported.length === 0 ? status : `${status}: ${reported.join(", ")}`;
}

function inWords(outcome: RunOutcome): string {
  if (outcome === "unknown") return "outcome unknown";
  return outcome === "filed" ? "filed" : `write ${outcome}`;
}
