import { readFile } from "node:fs/promises";
import { parseReleaseFacts } from "@toolbus/release-facts";
import type { GitSummary } from "./git-summary.ts";
import { recordedEvidence, type ReleaseEvidence } from "./release-evidence.ts";
import { type ReleaseSummary, releaseSummary } from "./release-summary.ts";

/** The paths of the record, which `record.ts` writes. */
export const RECORDED_SUMMARY = new URL("../recorded/summary.json", import.meta.url);
export const RECORDED_FACTS = new URL("../recorded/facts.json", import.meta.url);

/** Returns the recorded summary of a real release of this repository, for machines without a git history. The summary says that it is recorded. */
export async function recordedRelease(): Promise<ReleaseSummary> {
  return releaseSummary(parseRecord(await readFile(RECORDED_SUMMARY, "utf8")), "recorded", {});
}

/** Returns the recorded evidence of the recorded release. */
export async function evidenceOfRecorded(release: ReleaseSummary): Promise<ReleaseEvidence> {
  const parsed = parseReleaseFacts(JSON.parse(await readFile(RECORDED_FACTS, "utf8")));
  if (!parsed.ok) throw new Error(`${RECORDED_FACTS.pathname} has no facts of a release; run record.ts again.`);
  return recordedEvidence(release, parsed.value);
}

// The fields of the file are not checked, because this example's own script writes the file. A test compares its fields with those of a fresh
// summary.
function parseRecord(text: string): GitSummary {
  return JSON.parse(text) as GitSummary;
}
