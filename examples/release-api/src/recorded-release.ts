import { readFile } from "node:fs/promises";
import { type ReleaseSummary, releaseSummary } from "./release-summary.ts";
import type { GitSummary } from "./git-summary.ts";

/** The path of the record, which `record.ts` writes. */
export const RECORDED_SUMMARY = new URL("../recorded/summary.json", import.meta.url);

/** Returns the recorded summary of a real release of this repository, for machines without a git history. The summary says that it is recorded. */
export async function recordedRelease(): Promise<ReleaseSummary> {
  return releaseSummary(parseRecord(await readFile(RECORDED_SUMMARY, "utf8")), "recorded", {});
}

// The fields of the file are not checked, because this example's own script writes the file. A test compares its fields with those of a fresh
// summary.
function parseRecord(text: string): GitSummary {
  return JSON.parse(text) as GitSummary;
}
