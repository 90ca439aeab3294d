import type { Severity } from "@toolbus/contracts";
import { changeFindings } from "./change-findings.ts";
import { type Findings, gravity } from "./finding.ts";
import { metricFindings } from "./metric-findings.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import { testFindings } from "./test-findings.ts";

export interface Assessment extends Findings {
  /** The highest severity of any finding. */
  readonly severity: Severity;
}

/**
 * Returns the risk of a release by the documented thresholds. The risk is high for failures in critical areas, raised error rates and risky changes.
 * It is medium for smaller signs, and low if all reported facts are clean. The function is pure. The most serious finding is first. Words in subjects and
 * names can raise the severity but never lower it. What is not reported is unknown and no finding.
 */
export function assessRelease(facts: ReleaseFacts): Assessment {
  const groups = [testFindings(facts), metricFindings(facts), changeFindings(facts)];
  const findings = groups.flatMap((group) => group.findings).toSorted((a, b) => gravity(b.severity) - gravity(a.severity));
  const unreadable = facts.unreadable.map((part) => `The part "${part}" of the summary is in a form that the rules cannot read.`);
  return { severity: findings[0]?.severity ?? "low", findings, unknowns: [...groups.flatMap((group) => group.unknowns), ...unreadable] };
}
