import { counted } from "@toolbus/contracts";
import type { Failed } from "./attempts.ts";
import { cleanText, quoted, sentence } from "./clean-text.ts";
import type { GivenMeasurements } from "./given-measurements.ts";
import type { ReleaseFacts } from "./release-facts.ts";
import type { ReleaseJudgement } from "./judge-release.ts";
import type { RiskReport } from "./risk-report.ts";

/** The start of every text, so that nobody mistakes the rules for a language model. */
export const SPEAKER = "Offline rules, no language model.";

/** What was read beside the facts of the change. */
export interface Read {
  readonly summary: ReleaseFacts | null;
  /** The measurements that came with the request. */
  readonly given: GivenMeasurements;
}

export function readingText(releaseId: string, again: boolean): string {
  return `${SPEAKER} I read the summary of release ${quoted(releaseId, 200)}${again ? " once more, because the error may pass" : ""}.`;
}

export function unreachableText(releaseId: string, tool: string): string {
  const why = `the tool ${tool} is not offered in this run`;
  return `${SPEAKER} I cannot investigate release ${quoted(releaseId, 200)}: ${why}. Start its toolset and run the investigation again.`;
}

/** Returns the text for a summary that could not be read, with the error and the remedy. */
export function summaryFailedText(releaseId: string, failed: Failed): string {
  return `${SPEAKER} The summary of release ${quoted(releaseId, 200)} could not be read (${cleanText(failed.code, 64)}): ${sentence(failed.message)} ${remedy(failed)} No report is filed.`;
}

export function unreadableText(releaseId: string): string {
  const release = `release ${quoted(releaseId, 200)}`;
  const remedyText = "Check what the release API answers and run the investigation again.";
  return `${SPEAKER} The summary of ${release} is not a JSON object, so there is nothing to assess. ${remedyText} No report is filed.`;
}

export function readingCodeText(releaseId: string, again: boolean): string {
  return `${SPEAKER} I read the changes of the code of release ${quoted(releaseId, 200)}${again ? " once more, because the error may pass" : ""}.`;
}

/** Returns the text with the assessment if the run offers no tool that files it. */
export function notFiledText(report: RiskReport, judgement: ReleaseJudgement, read: Read, tool: string): string {
  return `${reasoning(report, judgement, read)}\n\nNothing is filed: the tool ${tool} is not offered in this run.`;
}

/** Returns the text for a release whose changes are its whole history, if nothing else of it is worth a report. */
export function notAssessedText(releaseId: string, summary: ReleaseFacts, { unknowns }: ReleaseJudgement): string {
  const changes = counted(summary.changeCount ?? summary.changes.length, "change");
  return [
    `${SPEAKER} Release ${quoted(releaseId, 200)} is not assessed: no release is before it, and its whole history of ${changes} is no change to judge.`,
    ...unknowns.map((unknown) => `- Not known: ${cleanText(unknown, 400)}`),
    "Get the tags of the repository or name the beginning of the release, then run the investigation again. No report is filed.",
  ].join("\n");
}

/** Returns the lines about what was read, the findings, the unknowns, the severity and the confidence. Evidence and advice are in the report. */
export function reasoning(report: RiskReport, judgement: ReleaseJudgement, { summary, given }: Read): string {
  const { base, head, findings, unknowns, confidence } = judgement;
  const handedIn = [...(given.tests ? ["test results"] : []), ...(given.metrics ? ["deployment metrics"] : [])];
  const range = base && head ? ` (${quoted(base.ref, 80)} to ${quoted(head.ref, 80)})` : "";
  const changes = summary ? `: ${counted(summary.changeCount ?? summary.changes.length, "change")}` : "";
  const what = summary ? "the summary" : "the facts";
  const notes = summary?.notes.map((note) => `Note of the summary: ${cleanText(note, 300)}`) ?? [];
  return [
    `${SPEAKER} I have read ${what} of release ${quoted(report.releaseId, 200)}${range}${changes}.`,
    ...notes.slice(0, 8),
    ...(handedIn.length === 0 ? [] : [`The ${handedIn.join(" and the ")} came with the request.`]),
    ...findings.map(({ severity, text }) => `- ${severity}: ${cleanText(text, 400)}`),
    ...unknowns.map((unknown) => `- Not known: ${cleanText(unknown, 400)}`),
    `By the documented rules the severity is ${report.severity}, with ${confidence} confidence.`,
  ].join("\n");
}

function remedy({ code, retryable }: Failed): string {
  if (code === "release_not_found") return "Check the release id against those that the release API knows, then start a new investigation.";
  if (code === "invalid_arguments") return "Start a new investigation with a release id that the tool accepts.";
  if (code === "tool_not_found") return "Start the toolset that offers it, then run the investigation again.";
  if (retryable) return "I have tried twice. Run the investigation again when the release API answers.";
  return "Fix the cause, then run the investigation again.";
}
