import { describe, expect, it } from "vitest";
import { loadProfiles } from "./load-profiles.ts";
import { profileFileOf } from "./profile-file-of.ts";
import { readProfile } from "./read-profile.ts";

const FULL = {
  name: "desk",
  description: "Answers at the desk.",
  systemPrompt: "Be brief.",
  tools: ["find_order", "file_report", "look?"],
  limits: {
    rounds: 7,
    activeSeconds: 90,
    noWorkerSeconds: 5,
    maxTools: 3,
    maxTokens: 512,
    resultChars: 2000,
    budget: { tokens: 10, usd: 0.5, toolCalls: 4 },
  },
  model: { name: "big-1" },
  context: { strategy: "sliding", maxTokens: 4000, maxMessages: 40 },
  workingMemory: false,
  toolChoice: "tool:find_order",
  parallelCalls: false,
  temperature: 0.5,
  seedCalls: [{ tool: "find_order", argumentsFromInput: { id: "order.id" }, when: "order" }, { tool: "find_order" }],
  report: { kind: "filing", subjectFromInput: "order.id", orSubjectFromInput: "order.name", tool: "file_report", reportIdField: "id" },
  askUser: true,
  continueAfterFailedWrite: true,
};

function profileIn(file: object) {
  const read = readProfile(JSON.stringify(file));
  if (!read.ok) throw new Error(JSON.stringify(read.faults));
  return read.profile;
}

describe("the file of a profile", () => {
  it("is read as the same profile, whatever the profile has", async () => {
    const profiles = [profileIn(FULL), ...(await loadProfiles("")).values()];
    for (const profile of profiles) expect(profileIn(profileFileOf(profile))).toEqual(profile);
  });

  it("has every field of the file that the profile was read from", () => {
    expect(profileFileOf(profileIn(FULL))).toMatchObject({ ...FULL, seedCalls: [FULL.seedCalls[0], { argumentsFromInput: {} }] });
  });
});
