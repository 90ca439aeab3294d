import { counted, type EndedCall, type RunView } from "@toolbus/contracts";

/**
 * Returns the calls that have ended, as fields. Each write has a line with its effect and who allowed it. The other calls follow,
 * grouped by tool and outcome.
 */
export function callFields({ calls = [] }: Pick<RunView, "calls">): readonly (readonly [name: string, value: string])[] {
  const writes = calls.filter(({ kind }) => kind === "write");
  const others = calls.filter(({ kind }) => kind !== "write");
  return [...fieldsOf("writes", writes.map(writeLine)), ...fieldsOf("calls", othersLines(others))];
}

function fieldsOf(name: string, lines: readonly string[]): readonly (readonly [name: string, value: string])[] {
  return lines.map((line, n) => [n === 0 ? name : "", line]);
}

function writeLine({ tool, outcome, approvedBy = [], effect, settledAt, followedUntil, changes }: EndedCall): string {
  const later = settledAt === undefined ? "" : ", known only after the call had ended";
  const follows = followedUntil === undefined ? "" : ", and the agent still looks for it";
  const by = approvedBy.length === 0 ? "" : `${byWhom(approvedBy)}${changes === undefined ? "" : " with changed arguments"}`;
  const does = effect === null ? "" : `: ${effect}`;
  if (outcome === "ok") return `${tool} happened${by}${later}${does}`;
  if (outcome === "outcome_unknown") return `${tool} may have happened, outcome unknown${follows}${by}${does}`;
  return `${tool} did not happen (${outcome})${by}${later}${does}`;
}

function byWhom(approvers: readonly string[]): string {
  return approvers.length === 1 && approvers[0] === "policy" ? ", allowed by policy" : `, approved by ${approvers.join(" and ")}`;
}

function othersLines(calls: readonly EndedCall[]): readonly string[] {
  const alike = Map.groupBy(calls, ({ tool, outcome }) => `${tool}: ${outcome}`);
  return [...alike].map(([line, { length }]) => (length === 1 ? line : `${line}, ${counted(length, "time")}`));
}
