import type { Json, Run, RunTool } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { Profile, SeedCall } from "../profile.ts";
import { valueAt } from "../profiles/input-path.ts";
import type { Turn } from "./turn-input.ts";

/** The calls of a run's seed round, and the calls of the profile that the round leaves out. */
export interface SeedPlan {
  readonly calls: Turn["calls"];
  readonly skipped: readonly { readonly tool: string; readonly why: string }[];
}

type Seeded = Pick<Run, "input" | "ordinal"> & { readonly tools: readonly RunTool[] };

/**
 * Returns the profile's fixed calls that this run can make. Leaves out a call if the run does not have its tool, if the input lacks a value that the
 * call needs, or if it would repeat an earlier call.
 */
export function seedPlan(profile: Profile, { input, tools, ordinal }: Seeded): SeedPlan {
  const calls: { readonly id: string; readonly name: string; readonly arguments: string }[] = [];
  const skipped: { readonly tool: string; readonly why: string }[] = [];
  for (const seed of profile.seedCalls) {
    const { tool } = seed;
    const missing = pathsOf(seed).find((path) => valueAt(input, path) === undefined);
    const text = missing === undefined ? argumentsOf(seed, input) : "";
    const same = calls.filter((call) => call.name === tool);
    if (!tools.some(({ name }) => name === tool)) skipped.push({ tool, why: "the run has no such tool" });
    else if (missing !== undefined) skipped.push({ tool, why: `the input has no ${missing}` });
    else if (same.some((call) => call.arguments === text)) skipped.push({ tool, why: "the same call is already made" });
    else calls.push({ id: seedId(tool, ordinal, same.length + 1), name: tool, arguments: text });
  }
  return { calls, skipped };
}

/** Returns the synthetic turn of round 0. */
export function seedTurn(profile: Profile, run: Seeded): Turn {
  return {
    provider: "toolbus",
    model: "seed",
    text: "",
    calls: seedPlan(profile, run).calls,
    seed: true,
    truncated: false,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}

/**
 * Returns the transcript's id of a seed call. No id is used twice in one transcript. The id is `seed_<tool>`. It ends with `-<n>` for the n-th call
 * of the tool from the second call on, and with `-r<ordinal>` from the second run of a conversation on. No tool has a hyphen in its name, so the
 * suffixes cannot make two ids equal.
 */
export function seedId(tool: string, ordinal: number, n = 1): string {
  return `seed_${tool}${n === 1 ? "" : `-${n}`}${ordinal === 1 ? "" : `-r${ordinal}`}`;
}

function pathsOf({ argumentsFromInput, when }: SeedCall): readonly string[] {
  return [...(when === undefined ? [] : [when]), ...Object.values(argumentsFromInput)];
}

function argumentsOf({ argumentsFromInput }: SeedCall, input: Run["input"]): string {
  const given = Object.entries(argumentsFromInput).map(([argument, path]): readonly [string, Json] => [
    argument,
    valueAt(input, path) ?? null,
  ]);
  return canonicalJson(Object.fromEntries(given));
}
