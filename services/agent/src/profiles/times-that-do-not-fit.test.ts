import { describe, expect, it } from "vitest";
import type { Profile } from "../profile.ts";
import { loadProfiles } from "./load-profiles.ts";
import { timesThatDoNotFit } from "./times-that-do-not-fit.ts";

const TIMES = { MODEL_TIMEOUT_MS: 120_000, CALL_NOT_AFTER_MS: 900_000 };

describe("the times of profiles and settings", () => {
  it("fit each other by default", async () => {
    expect(timesThatDoNotFit((await loadProfiles("")).values(), TIMES)).toEqual([]);
  });

  it("do not if one model call may take longer than the whole run", async () => {
    expect(timesThatDoNotFit([await chat({ activeMs: 60_000 })], TIMES)).toEqual([
      'One model call may take 120 s (MODEL_TIMEOUT_MS), and a run of the profile "chat" has 60 s in all: a slow model ends it as time_limit. Raise limits.activeSeconds of the profile, or lower MODEL_TIMEOUT_MS.',
    ]);
    expect(timesThatDoNotFit([await chat({ activeMs: 120_000 })], TIMES)).toEqual([]);
  });

  it("do not if a call ends before the model would get no_worker", async () => {
    expect(timesThatDoNotFit([await chat({ noWorkerMs: 30_000 })], { ...TIMES, CALL_NOT_AFTER_MS: 20_000 })).toEqual([
      expect.stringMatching(/^The profile "chat" waits 30 s for a worker .* may begin for 20 s only/),
    ]);
  });
});

async function chat(limits: Partial<Profile["limits"]>): Promise<Profile> {
  const profile = (await loadProfiles("")).get("chat");
  if (!profile) throw new Error("There is no profile chat.");
  return { ...profile, limits: { ...profile.limits, ...limits } };
}
