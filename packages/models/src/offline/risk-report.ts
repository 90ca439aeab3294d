import { assessedText, findingText, type Severity, unknownText } from "@toolbus/contracts";
import type { Failed } from "./attempts.ts";
import { cleanText } from "./clean-text.ts";
import type { ReleaseJudgement } from "./judge-release.ts";
import { reviewerRequests } from "./reviewer-requests.ts";

/** The content of a filed report, and the unknowns for the final text. */
export interface RiskReport {
  readonly releaseId: string;
  readonly severity: Severity;
  /**
   * First what was assessed, then the findings with the most serious first, then the unknowns, then the reviewers' words. Each is one line, in the
   * form from which a verdict can be read again.
   */
  readonly findings: readonly string[];
  readonly unknowns: readonly string[];
}

// The limits of a report in the product's contract.
const MAX_FINDINGS = 64;
const FINDING_CHARS = 1000;

/** Returns the report on a release after these revisions. The same judgement and revisions give the same report. */
export function riskReport(releaseId: string, judgement: ReleaseJudgement, revisions: readonly Failed[]): RiskReport {
  const requests = reviewerRequests(revisions);
  const lines = [assessedText(judgement), ...judgement.findings.map(findingText), ...judgement.unknowns.map(unknownText)];
  return {
    releaseId,
    severity: requests.severity ?? judgement.severity,
    findings: [...lines.slice(0, MAX_FINDINGS - requests.findings.length), ...requests.findings].map((line) =>
      cleanText(line, FINDING_CHARS),
    ),
    unknowns: judgement.unknowns,
  };
}
