import type { JsonObject } from "@toolbus/contracts";
import type { ModelRequest } from "../model-provider.ts";
import { attemptsOf, type Attempt, type Failed, mayRetry } from "./attempts.ts";
import { filingEnded, filingText, refilingText, retryText } from "./filing-texts.ts";
import { readReleaseFacts, type ReleaseFacts } from "./release-facts.ts";
import { type RiskReport, riskReport } from "./risk-report.ts";
import type { Step } from "./step.ts";
import { notFiledText, readingText, summaryFailedText, unreadableText, unreachableText } from "./summary-texts.ts";
import { constants } from "./thresholds.ts";

/** The tools that the offline rules can use. */
export const SUMMARY_TOOL = "get_release_summary";
export const FILING_TOOL = "file_risk_report";

/**
 * Computes the next step of an investigation from the transcript of its run. The steps are summary, report and end. The function is pure, and every
 * investigation ends. The rules retry once after a temporary error, and they limit the number of revisions. If the outcome of the first filing is
 * unknown, they never file a second time.
 */
export function releaseStep({ transcript, tools, run }: ModelRequest, releaseId: string): Step {
  const offered = new Set(tools.map((tool) => tool.name));
  const summaries = attemptsOf(SUMMARY_TOOL, run.runId, transcript);
  const summary = summaries.findLast((attempt) => attempt.ok);

  if (!summary) return withoutSummary(releaseId, offered, summaries);
  const facts = readReleaseFacts(summary.content);
  if (!facts) return end(unreadableText(releaseId));
  // The run's input decides which release is investigated. A summary is only data, so it cannot redirect the investigation to another release.
  return withSummary(releaseId, facts, offered, attemptsOf(FILING_TOOL, run.runId, transcript));
}

function withoutSummary(releaseId: string, offered: ReadonlySet<string>, attempts: readonly Attempt[]): Step {
  const last = attempts.at(-1);
  if (last && !last.ok && !(mayRetry(attempts) && offered.has(SUMMARY_TOOL))) return end(summaryFailedText(releaseId, last));
  if (!offered.has(SUMMARY_TOOL)) return end(unreachableText(releaseId, SUMMARY_TOOL));
  return call(readingText(releaseId, last !== undefined), SUMMARY_TOOL, { release_id: releaseId });
}

function withSummary(subject: string, facts: ReleaseFacts, offered: ReadonlySet<string>, filings: readonly Attempt[]): Step {
  const revisions = filings.filter((filing): filing is Failed => !filing.ok && filing.code === "revision_requested");
  const report = riskReport(subject, facts, revisions);
  const canFile = offered.has(FILING_TOOL);
  const last = filings.at(-1);

  if (!last) return canFile ? file(filingText(report, facts), report) : end(notFiledText(report, facts, FILING_TOOL));
  if (last.ok || !canFile) return end(filingEnded(report, last));
  if (last.code === "revision_requested") {
    // Without a comment the rules have nothing to change, so a revision would be the same report again.
    const mayRevise = last.words !== null && revisions.length <= constants.maxRevisions.value;
    return mayRevise ? file(refilingText(report, revisions.length), report) : end(filingEnded(report, last));
  }
  return mayRetry(filings) ? file(retryText(last), report) : end(filingEnded(report, last));
}

function file(text: string, { releaseId, severity, findings }: RiskReport): Step {
  return call(text, FILING_TOOL, { release_id: releaseId, severity, findings });
}

function call(text: string, name: string, args: JsonObject): Step {
  return { text, calls: [{ name, arguments: JSON.stringify(args) }] };
}

function end(text: string): Step {
  return { text, calls: [] };
}
