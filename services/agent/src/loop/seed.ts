import type { JsonObject, Run } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { Profile } from "../profile.ts";
import type { Turn } from "./turn.ts";

/** The synthetic turn of round 0: the profile's fixed calls, with arguments from the run's input. */
export function seedTurn(profile: Profile, run: Run): Turn {
  return {
    provider: "toolbus",
    model: "seed",
    text: "",
    calls: profile.seedCalls.map((seed) => ({
      id: seedId(seed.tool, run.ordinal),
      name: seed.tool,
      arguments: canonicalJson(seedArguments(seed.argumentsFromInput, run.input)),
    })),
    seed: true,
    truncated: false,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}

/** `seed_<tool>`, with the run's ordinal from the second run of a conversation on: never used twice in one transcript. */
export function seedId(tool: string, ordinal: number): string {
  return ordinal === 1 ? `seed_${tool}` : `seed_${tool}_${ordinal}`;
}

function seedArguments(fields: Readonly<Record<string, string>>, input: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([argument, field]) => (input[field] === undefined ? [] : [[argument, input[field]]])),
  );
}
