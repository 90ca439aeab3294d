import type { TranscriptEntry } from "@toolbus/contracts";
import { type Attempt, attempt } from "../attempts.ts";
import { objectIn } from "../release-facts.ts";

/** The attempts to look up each release in a run, oldest first. */
export type Lookups = ReadonlyMap<string, readonly Attempt[]>;

/** Returns the lookups of a run with this tool, by the release that each call names. */
export function lookupsOf(tool: string, runId: string, transcript: readonly TranscriptEntry[]): Lookups {
  const asked = new Map<string, string>();
  for (const entry of transcript) {
    if (entry.type !== "assistant" || entry.runId !== runId) continue;
    for (const call of entry.calls) {
      const release = call.name === tool ? objectIn(call.arguments)?.["release_id"] : undefined;
      if (typeof release === "string") asked.set(call.callId, release);
    }
  }
  const found = new Map<string, Attempt[]>();
  for (const entry of transcript) {
    const release = entry.type === "result" ? asked.get(entry.callId) : undefined;
    if (entry.type === "result" && release !== undefined) found.set(release, [...(found.get(release) ?? []), attempt(entry)]);
  }
  return found;
}
