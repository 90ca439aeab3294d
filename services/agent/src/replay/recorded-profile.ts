import { DIRECT_CALL_PROFILE, type RunRecord } from "@toolbus/contracts";
import { directCallProfile } from "../direct-call/direct-call.ts";
import type { Profile } from "../profile.ts";

/** A record that cannot be played again. The message is one sentence with the remedy. */
export class ReplayRefused extends Error {
  override readonly name = "ReplayRefused";
}

/** Returns the profile with which the run began. Null if its agent did not know the profile. Throws `ReplayRefused` if the record does not have it. */
export function recordedProfile({ run, events, profile }: RunRecord): Profile | null {
  if (run.profile === DIRECT_CALL_PROFILE) return directCallProfile;
  // Only an agent makes these documents, so the profile has all of its parts.
  if (profile?.profile) return profile.profile as unknown as Profile;
  const [first] = events;
  if (first?.type === "run.failed" && first.sequence === 1 && run.profileHash === undefined) return null;
  throw new ReplayRefused(
    `The record of ${run.runId} does not have the profile "${run.profile}": record the run with an operator's key, or give the profile with --profile.`,
  );
}

/** Returns the names of profiles that a refused run's message lists. */
export function recordedProfileNames({ events }: RunRecord): readonly string[] {
  const [first] = events;
  const listed = first?.type === "run.failed" && first.code === "profile_unknown" ? KNOWN.exec(first.message)?.[1] : undefined;
  return listed?.split(", ") ?? [];
}

const KNOWN = /the known ones are (.*)\. Start a conversation/;
