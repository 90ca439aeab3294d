import type { Severity } from "@toolbus/contracts";
import { assessRelease } from "./assess-release.ts";
import type { Failed } from "./attempts.ts";
import { cleanText } from "./clean-text.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import { reviewerRequests } from "./reviewer-requests.ts";

/** The content of a filed report, and the unknowns for the final text. */
export interface RiskReport {
  readonly releaseId: string;
  readonly severity: Severity;
  /** The findings with the most serious first, then the unknowns, then the reviewers' words. Each is one line. */
  readonly findings: readonly string[];
  readonly unknowns: readonly string[];
}

// The limits of a report in the product's contract.
const MAX_FINDINGS = 64;
const FINDING_CHARS = 1000;

/** Returns the report on a release after these revisions. The same facts and revisions give the same report. */
export function riskReport(releaseId: string, facts: ReleaseFacts, revisions: readonly Failed[]): RiskReport {
  const { severity, findings, unknowns } = assessRelease(facts);
  const requests = reviewerRequests(revisions);
  const lines = [
    ...findings.map((finding) => `${finding.severity}: ${finding.text}`),
    ...unknowns.map((unknown) => `Not known: ${unknown}`),
  ];
  return {
    releaseId,
    severity: requests.severity ?? severity,
    findings: [...lines.slice(0, MAX_FINDINGS - requests.findings.length), ...requests.findings].map((line) =>
      cleanText(line, FINDING_CHARS),
    ),
    unknowns,
  };
}
