import { DIRECT_CALL_PROFILE, isJsonObject, type JsonObject, type ProfileFile, type RunRecord } from "@toolbus/contracts";
import { directCallProfile } from "../direct-call/direct-call.ts";
import type { Profile } from "../profile.ts";
import { profileFileOf } from "../profiles/profile-file-of.ts";

/** A record that cannot be played again. The message is one sentence with the remedy. */
export class ReplayRefused extends Error {
  override readonly name = "ReplayRefused";
}

/** Returns the profile with which the run began. Null if its agent did not know the profile. Throws `ReplayRefused` if the record does not have it. */
export function recordedProfile({ run, events, profile }: RunRecord): Profile | null {
  if (run.profile === DIRECT_CALL_PROFILE) return directCallProfile;
  if (profile?.profile) return wholeProfile(profile.profile, run.runId);
  const [first] = events;
  if (first?.type === "run.failed" && first.sequence === 1 && run.profileHash === undefined) return null;
  throw new ReplayRefused(
    `The record of ${run.runId} does not have the profile "${run.profile}": record the run with an operator's key, or give the profile with --profile.`,
  );
}

/** Returns the profile of a record as a file has it. Null if the record has no profile. Throws `ReplayRefused` if the profile lacks parts. */
export function recordedProfileFile({ run, profile }: RunRecord): ProfileFile | null {
  return profile?.profile ? profileFileOf(wholeProfile(profile.profile, run.runId)) : null;
}

/** An agent wrote the profile with all of its parts, but a person may have edited the file of a record since. */
function wholeProfile(profile: JsonObject, runId: string): Profile {
  const { name, systemPrompt, tools, limits, seedCalls, report } = profile;
  const isWhole =
    typeof name === "string" &&
    typeof systemPrompt === "string" &&
    (tools === "all" || Array.isArray(tools)) &&
    isJsonObject(limits) &&
    ["maxRounds", "activeMs", "maxTools", "maxTokens"].every((limit) => typeof limits[limit] === "number") &&
    Array.isArray(seedCalls) &&
    (report === null || isJsonObject(report));
  if (isWhole) return profile as unknown as Profile;
  throw new ReplayRefused(`The profile in the record of ${runId} lacks parts: record the run again, or give the profile with --profile.`);
}

/** Returns the names of profiles that a refused run's message lists. */
export function recordedProfileNames({ events }: RunRecord): readonly string[] {
  const [first] = events;
  const listed = first?.type === "run.failed" && first.code === "profile_unknown" ? KNOWN.exec(first.message)?.[1] : undefined;
  return listed?.split(", ") ?? [];
}

const KNOWN = /the known ones are (.*)\. Start a conversation/;
