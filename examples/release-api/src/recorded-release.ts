import { readFile } from "node:fs/promises";
import { type ReleaseSummary, releaseSummary } from "./release-summary.ts";
import type { GitSummary } from "./git-summary.ts";

/** The path of the record: `record.ts` writes it. */
export const RECORDED_SUMMARY = new URL("../recorded/summary.json", import.meta.url);

/** The recorded summary of a real release of this repository, for machines without a git history. It says that it is recorded. */
export async function recordedRelease(): Promise<ReleaseSummary> {
  return releaseSummary(parseRecord(await readFile(RECORDED_SUMMARY, "utf8")), "recorded", {});
}

// The file is a part of this example and written by its own script; a test compares its fields with those of a fresh summary.
function parseRecord(text: string): GitSummary {
  return JSON.parse(text) as GitSummary;
}
