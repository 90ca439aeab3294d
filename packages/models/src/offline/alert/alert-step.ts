import { counted, type JsonObject } from "@toolbus/contracts";
import type { ModelRequest } from "../../model-provider.ts";
import { attemptsOf, type Failed, mayRetry } from "../attempts.ts";
import { cleanText, quoted, sentence } from "../clean-text.ts";
import { readReleaseFacts } from "../release-facts.ts";
import { SUMMARY_TOOL } from "../release-step.ts";
import type { Step } from "../step.ts";
import { SPEAKER } from "../summary-texts.ts";
import { alertInWords, type AlertFacts, readAlertFacts } from "./alert-facts.ts";
import { concludeAlert, type Conclusion, type NamedRelease } from "./conclude-alert.ts";
import { type Lookups, lookupsOf } from "./lookups.ts";

/** The loop's own tool that records a conclusion. */
export const CONCLUDE_TOOL = "conclude";

/**
 * Computes the next step of an alert's investigation from the transcript of its run. The rules look up the releases that the labels name, conclude
 * and answer. The function is pure, and every investigation ends. The rules retry a failed lookup once if the error may be temporary, and they
 * conclude once.
 */
export function alertStep({ transcript, tools, run }: ModelRequest, input: JsonObject): Step {
  const alert = readAlertFacts(input);
  const offered = new Set(tools.map((tool) => tool.name));
  const lookups = lookupsOf(SUMMARY_TOOL, run.runId, transcript);
  const due = offered.has(SUMMARY_TOOL) ? alert.releases.filter((release) => isDue(release, lookups)) : [];
  if (due.length > 0) return lookUp(alert, due);
  const conclusion = concludeAlert(
    alert,
    alert.releases.map((release) => namedRelease(release, lookups)),
  );
  const recorded = attemptsOf(CONCLUDE_TOOL, run.runId, transcript).at(-1);
  if (recorded)
    return end(
      conclusion,
      alert,
      recorded.ok ? null : `Its record was refused (${cleanText(recorded.code, 64)}): ${sentence(recorded.message)}`,
    );
  if (!offered.has(CONCLUDE_TOOL))
    return end(conclusion, alert, `It is not recorded: the tool ${CONCLUDE_TOOL} is not offered in this run.`);
  const { cause, severity, findings, summary } = conclusion;
  const args = { ...(cause === null ? {} : { cause }), severity, findings, summary };
  return { text: concluding(conclusion, alert), calls: [{ name: CONCLUDE_TOOL, arguments: JSON.stringify(args) }] };
}

/** Returns true if the release was never requested, or if its lookup failed once with an error that may be temporary. */
function isDue(release: string, lookups: Lookups): boolean {
  const attempts = lookups.get(release) ?? [];
  return attempts.length === 0 || mayRetry(attempts);
}

function namedRelease(releaseId: string, lookups: Lookups): NamedRelease {
  const attempts = lookups.get(releaseId) ?? [];
  const read = attempts.findLast((attempt) => attempt.ok);
  const name = quoted(releaseId, 200);
  if (read) {
    const facts = readReleaseFacts(read.content);
    return { releaseId, facts, unread: facts ? null : `The summary of release ${name} is not a JSON object.` };
  }
  const failed = attempts.findLast((attempt): attempt is Failed => !attempt.ok);
  const why = failed
    ? `could not be read (${cleanText(failed.code, 64)}): ${sentence(failed.message)}`
    : "was not read: no tool for it is offered.";
  return { releaseId, facts: null, unread: `The summary of release ${name} ${why}` };
}

function lookUp(alert: AlertFacts, releases: readonly string[]): Step {
  const names = releases.map((release) => quoted(release, 200)).join(" and ");
  return {
    text: `${SPEAKER} ${alertInWords(alert)} names ${counted(releases.length, "release")}: I read the summary of ${names}.`,
    calls: releases.map((release) => ({ name: SUMMARY_TOOL, arguments: JSON.stringify({ release_id: release }) })),
  };
}

function concluding({ cause, severity, findings }: Conclusion, alert: AlertFacts): string {
  const recording = `I record the severity ${severity} and ${counted(findings.length, "finding")}.`;
  return `${SPEAKER} ${alertInWords(alert)}: ${cause ?? "I found no cause."} ${recording}`;
}

function end({ cause, severity, findings, unknowns }: Conclusion, alert: AlertFacts, fault: string | null): Step {
  const found = cause ?? "I found no cause: nothing that I could read points to one.";
  const known = unknowns.length === 0 ? "" : ` What was not known: ${unknowns.slice(0, 4).join(" ")}`;
  const text = `${SPEAKER} ${alertInWords(alert)}: ${found} The severity is ${severity}, with ${counted(findings.length, "finding")}.${known} Nothing was filed and nothing was changed.`;
  return { text: fault === null ? text : `${text} ${fault}`, calls: [] };
}
