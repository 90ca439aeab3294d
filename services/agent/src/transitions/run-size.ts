import type { Report, Run, RunEnding } from "@toolbus/contracts";
import { boundedText, storedBytes } from "./bounded-text.ts";

// A run is one document of at most 64 KiB. The limits for its input, its report and its last message fit together. They leave room for the calls of a
// round and for passages of untrusted content. If a run were too large to store, the agent could not even record its failure.
const MAX_RUN = 62 * 1024;
const MAX_WAITING = 60 * 1024;
const MAX_GIVEN = 32 * 1024;
const MAX_REPORT = 18 * 1024;

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));

/** Returns why a run with this message could not be stored, in a sentence, or null if it can. */
export function tooLarge(run: Run, text: string): string | null {
  const given = bytesOf(run);
  if (given > MAX_GIVEN)
    return `The input takes ${given} bytes with the tools of its profile, and at most ${MAX_GIVEN} are allowed; send less of it.`;
  const whole = given + storedBytes(text);
  return whole > MAX_WAITING
    ? `The message takes ${whole} bytes to store, and at most ${MAX_WAITING} are allowed; send a shorter one.`
    : null;
}

/** Shortens a report until it fits. Drops the oldest evidence first, because the run's events still contain it. Then drops the last findings. */
export function fittedReport(report: Report): Report {
  const evidence = [...report.evidence];
  const findings = [...report.findings];
  let over = bytesOf(report) - MAX_REPORT;
  while (over > 0 && evidence.length > 0) over -= bytesOf(evidence.shift() ?? {}) + 1;
  while (over > 0 && findings.length > 0) over -= storedBytes(findings.pop() ?? "") + 1;
  return evidence.length + findings.length < report.evidence.length + report.findings.length ? { ...report, evidence, findings } : report;
}

/** Shortens an ending until it fits. The transcript and the last event have the whole text. */
export function fittedEnding(run: Run, ending: RunEnding): RunEnding {
  const room = MAX_RUN - bytesOf({ ...run, ending: { ...ending, text: "" } });
  return { ...ending, text: boundedText(ending.text, Math.max(200, room)) };
}
