import type { Json, JsonObject } from "@toolbus/contracts";
import type { ModelRequest } from "../model-provider.ts";
import { attemptsOf, type Attempt, type Failed, mayRetry } from "./attempts.ts";
import { type CodeEvidence, givenEvidence, readEvidence } from "./code-evidence.ts";
import { filingEnded, filingText, refilingText, retryText } from "./filing-texts.ts";
import { givenMeasurements } from "./given-measurements.ts";
import { isAssessed, judgeRelease, type ReleaseJudgement } from "./judge-release.ts";
import { readReleaseFacts } from "./release-facts.ts";
import { type RiskReport, riskReport } from "./risk-report.ts";
import type { Step } from "./step.ts";
import {
  notAssessedText,
  notFiledText,
  type Read,
  readingCodeText,
  readingText,
  summaryFailedText,
  unreadableText,
  unreachableText,
} from "./summary-texts.ts";
import { constants } from "./thresholds.ts";

/** The tools that the offline rules can use. */
export const SUMMARY_TOOL = "get_release_summary";
export const CODE_TOOL = "get_code_changes";
export const FILING_TOOL = "file_risk_report";

/** The subject of an investigation, from the run's input. It has a release of the release API, facts of a change, or both. */
export interface ReleaseSubject {
  /** The name for the report. */
  readonly name: string;
  /** False if only the facts name the release, so the release API may not know it. */
  readonly inReleaseApi: boolean;
  /** The facts that the input contains. Undefined if it has none. */
  readonly changes: Json | undefined;
  /** The measurements that the input contains. Undefined if it has none. */
  readonly measurements: Json | undefined;
}

/**
 * Computes the next step of an investigation from the transcript of its run. The steps are summary, change, report and end. The function is pure, and
 * every investigation ends. The rules retry a read once after a temporary error, and they limit the number of revisions. If the outcome of the first
 * filing is unknown, they never file a second time.
 */
export function releaseStep({ transcript, tools, run }: ModelRequest, subject: ReleaseSubject): Step {
  const offered = new Set(tools.map((tool) => tool.name));
  const made = (tool: string): readonly Attempt[] => attemptsOf(tool, run.runId, transcript);
  const summaries = made(SUMMARY_TOOL);
  const summary = summaries.findLast((attempt) => attempt.ok);
  const given = subject.changes === undefined ? null : givenEvidence(subject.changes);

  if (!summary && given === null) return withoutSummary(subject.name, offered, summaries);
  if (!summary && subject.inReleaseApi && offered.has(SUMMARY_TOOL) && mayCall(summaries))
    return call(readingText(subject.name, summaries.length > 0), SUMMARY_TOOL, { release_id: subject.name });
  const facts = summary ? readReleaseFacts(summary.content) : null;
  if (!facts && given === null) return end(unreadableText(subject.name));
  const codes = made(CODE_TOOL);
  if (given === null && offered.has(CODE_TOOL) && !codes.some((attempt) => attempt.ok) && mayCall(codes))
    return call(readingCodeText(subject.name, codes.length > 0), CODE_TOOL, { release_id: subject.name });
  const code = given ?? readEvidence(codes, CODE_TOOL);
  // The run's input decides which release is investigated. A summary is only data, so it cannot redirect the investigation to another release.
  return withEvidence(subject.name, { summary: facts, code, given: givenMeasurements(subject.measurements) }, offered, made(FILING_TOOL));
}

function withoutSummary(releaseId: string, offered: ReadonlySet<string>, attempts: readonly Attempt[]): Step {
  const last = attempts.at(-1);
  if (last && !last.ok && !(mayRetry(attempts) && offered.has(SUMMARY_TOOL))) return end(summaryFailedText(releaseId, last));
  if (!offered.has(SUMMARY_TOOL)) return end(unreachableText(releaseId, SUMMARY_TOOL));
  return call(readingText(releaseId, last !== undefined), SUMMARY_TOOL, { release_id: releaseId });
}

interface Evidence extends Read {
  readonly code: CodeEvidence;
}

function withEvidence(subject: string, { code, ...read }: Evidence, offered: ReadonlySet<string>, filings: readonly Attempt[]): Step {
  const revisions = filings.filter((filing): filing is Failed => !filing.ok && filing.code === "revision_requested");
  const judgement: ReleaseJudgement = judgeRelease(read.summary, code, read.given);
  if (read.summary && !isAssessed(read.summary, code, judgement)) return end(notAssessedText(subject, read.summary, judgement));
  const report = riskReport(subject, judgement, revisions);
  const canFile = offered.has(FILING_TOOL);
  const last = filings.at(-1);

  if (!last) return canFile ? file(filingText(report, judgement, read), report) : end(notFiledText(report, judgement, read, FILING_TOOL));
  if (last.ok || !canFile) return end(filingEnded(report, last));
  if (last.code === "revision_requested") {
    // Without a comment the rules have nothing to change, so a revision would be the same report again.
    const mayRevise = last.words !== null && revisions.length <= constants.maxRevisions.value;
    return mayRevise ? file(refilingText(report, revisions.length), report) : end(filingEnded(report, last));
  }
  return mayRetry(filings) ? file(retryText(last), report) : end(filingEnded(report, last));
}

/** Returns whether a read may be made: for the first time, or once more after a failure that may pass. */
function mayCall(attempts: readonly Attempt[]): boolean {
  return attempts.length === 0 || mayRetry(attempts);
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
