import type { Severity } from "@toolbus/contracts";
import { changeFindings } from "./change-findings.ts";
import { type Findings, gravity } from "./finding.ts";
import { metricFindings } from "./metric-findings.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import { testFindings } from "../testing/test-findings.ts";

export interface Assessment extends Findings {
  /** The highest severity of any finding. */
  readonly severity: Severity;
}

/**
 * The risk of a release by the documented thresholds: high for failures in critical areas, raised error rates and risky changes, medium for smaller
 * signs and for a release without tests, low if everything that was reported is clean. Pure. There always is a finding, and the gravest comes first.
 * Words in subjects and names can raise the severity and never lower it.
 */
export function assessRelease(facts: ReleaseFacts): Assessment {
  const groups = [testFindings(facts), metricFindings(facts), changeFindings(facts)];
  const findings = groups.flatMap((group) => group.findings).toSorted((a, b) => gravity(b.severity) - gravity(a.severity));
  const unreadable = facts.unreadable.map((part) => `The part "${part}" of the summary is in a form that the rules cannot read.`);
  return { severity: findings[0]?.severity ?? "low", findings, unknowns: [...groups.flatMap((group) => group.unknowns), ...unreadable] };
}
