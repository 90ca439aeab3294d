import { counted, verdictIn } from "@toolbus/contracts";
import type { Attempt, Failed } from "./attempts.ts";
import { cleanText, quoted, sentence } from "./clean-text.ts";
import { objectIn } from "./release-facts.ts";
import type { ReleaseJudgement } from "./judge-release.ts";
import type { RiskReport } from "./risk-report.ts";
import { type Read, reasoning, SPEAKER } from "./summary-texts.ts";
import { constants } from "./thresholds.ts";

/** Returns the text for the turn that files the report for the first time. */
export function filingText(report: RiskReport, judgement: ReleaseJudgement, read: Read): string {
  return `${reasoning(report, judgement, read)}\n\nI file the risk report now; whether it may be filed is not mine to decide.`;
}

/** Returns the text for the turn that files a revised report. The report's last finding is the reviewer's comment. */
export function refilingText(report: RiskReport, revision: number): string {
  const comment = report.findings.at(-1) ?? "";
  return `${SPEAKER} Revision ${revision}: I take up the comment (${comment}) and file the report again with ${inShort(report)}.`;
}

export function retryText(failed: Failed): string {
  return `${SPEAKER} The report was not filed (${cleanText(failed.code, 64)}): ${sentence(failed.message)} I try once more.`;
}

/** Returns the last text of a run, after the attempt to file its report. The text never claims more than the result says. */
export function filingEnded(report: RiskReport, last: Attempt): string {
  if (last.ok) return filedText(report, last.content);
  return `${SPEAKER} ${notFiled(report, last)}`;
}

function filedText(report: RiskReport, content: string): string {
  const id = objectIn(content)?.["report_id"];
  const named = typeof id === "string" || typeof id === "number";
  const name = named ? `Risk report ${cleanText(String(id), 200)}` : "The risk report (its target gave no id)";
  const known =
    report.unknowns.length === 0 ? "Nothing that the rules look for was missing." : `What was not known: ${report.unknowns.join(" ")}`;
  return `${SPEAKER} ${name} is filed for release ${cleanText(report.releaseId, 200)} with ${inShort(report)}. ${known}`;
}

/** The approval card counts all items of a report, and a verdict only its findings. So the text has both numbers. */
function inShort({ severity, findings }: RiskReport): string {
  const found = verdictIn(findings).findings.length;
  const which = found === 0 ? "none is a finding" : found === 1 ? "1 is a finding" : `${found} are findings`;
  return `severity ${severity} and ${counted(findings.length, "item")}, of which ${which}`;
}

function notFiled(report: RiskReport, { status, code, message, retryable, words }: Failed): string {
  const release = `risk report on release ${cleanText(report.releaseId, 200)}`;
  const said = words === null ? "" : ` The approver says: ${quoted(words, 500)}.`;
  const reason = sentence(message);
  if (status === "outcome_unknown") {
    return `The ${release} may or may not have been filed: ${reason} I do not try again, because that could file it twice. Please look at the target.`;
  }
  if (code === "approval_expired" || code === "approval_lapsed") {
    return `The ${release} is not filed: its approval ended before it could be used. Please run the investigation again when someone can decide.`;
  }
  if (code === "revision_requested") {
    const limit = `I stop after ${counted(constants.maxRevisions.value, "revision")}`;
    const why = words === null ? "a revision was asked for without a comment, so I do not know what to change" : limit;
    return `The ${release} is not filed: ${why}.${said} Nothing was changed.`;
  }
  if (code === "denied_by_user")
    return `I am sorry: the ${release} is not filed, it was denied.${said} I change nothing and do not try again.`;
  if (status === "denied")
    return `I am sorry: the ${release} is not filed, it was refused. ${reason} I change nothing and do not try again.`;
  if (status === "cancelled") return `The ${release} is not filed: the call was cancelled. ${reason}`;
  const tried = retryable ? " I have tried twice." : "";
  return `The ${release} is not filed (${cleanText(code, 64)}): ${reason}${tried} Fix the cause, then run the investigation again.`;
}
