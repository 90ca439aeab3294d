import type { TranscriptEntry } from "@toolbus/contracts";
import { type Attempt, attempt } from "../attempts.ts";
import { objectIn } from "../release-facts.ts";

/** A release that was looked up in a run, and how that went, oldest attempt first. */
export type Lookups = ReadonlyMap<string, readonly Attempt[]>;

/** What a run looked up about each of these releases with this tool; a release that nobody asked about is absent. */
export function lookupsOf(tool: string, releases: readonly string[], runId: string, transcript: readonly TranscriptEntry[]): Lookups {
  const asked = new Map<string, string>();
  for (const entry of transcript) {
    if (entry.type !== "assistant" || entry.runId !== runId) continue;
    for (const call of entry.calls) {
      const release = call.name === tool ? objectIn(call.arguments)?.["release_id"] : undefined;
      if (typeof release === "string" && releases.includes(release)) asked.set(call.callId, release);
    }
  }
  const found = new Map<string, Attempt[]>();
  for (const entry of transcript) {
    const release = entry.type === "result" ? asked.get(entry.callId) : undefined;
    if (entry.type === "result" && release !== undefined) found.set(release, [...(found.get(release) ?? []), attempt(entry)]);
  }
  return found;
}
