import type { Observation, ObservedCall } from "../observation/observation.ts";
import type { Score } from "../result/trial.ts";
import type { Expectations } from "../scenario/scenario.ts";
import { verdict } from "./score.ts";

/** Scores whether each write waited for those who had to decide it. */
export function approvalScores(wanted: NonNullable<Expectations["approvals"]>, calls: readonly ObservedCall[]): readonly Score[] {
  return wanted.map(({ tool, decidedBy }) => {
    const ofTool = calls.filter((call) => call.tool === tool);
    const name = `approvals ${tool}`;
    if (ofTool.length === 0) return verdict("approvals", name, false, `${tool} was not called, so nobody had to decide it.`);
    const wrong = ofTool.find((call) => (decidedBy === "people") !== call.held || (call.status === "ok" && !isDecidedBy(call, decidedBy)));
    const how = `${tool} ${ofTool.some(({ held }) => held) ? "waited for people" : "did not wait for people"}`;
    return verdict("approvals", name, wrong === undefined, `${how}, expected: decided by ${decidedBy}.`);
  });
}

function isDecidedBy({ decision }: ObservedCall, decidedBy: "people" | "policy"): boolean {
  const people = (decision?.by ?? []).filter((by) => by !== "policy");
  return decidedBy === "people" ? people.length > 0 : people.length === 0;
}

/** Scores whether the agent went on after an error without repeating the same call again and again. */
export function recoveryScore({ repeatedCalls }: NonNullable<Expectations["recovery"]>, { calls }: Observation): Score {
  const repeats = new Map<string, number>();
  let most = 0;
  let failed = 0;
  for (const call of calls) {
    const key = `${call.tool} ${call.arguments}`;
    const before = repeats.get(key);
    if (before !== undefined) most = Math.max(most, before + 1);
    if (before !== undefined) repeats.set(key, before + 1);
    if (call.status !== undefined && call.status !== "ok") {
      failed++;
      if (before === undefined) repeats.set(key, 0);
    }
  }
  const reason =
    failed === 0
      ? "No call failed, so there was nothing to recover from."
      : `After an error, the same call was repeated ${most} times, expected at most ${repeatedCalls}.`;
  return verdict("error_handling", "recovery", failed > 0 && most <= repeatedCalls, reason);
}

/** Scores what the run cost. A cost that nobody knows is over every limit. */
export function limitScores(
  limits: NonNullable<Expectations["limits"]>,
  { rounds, calls, usage, elapsedMs }: Observation,
): readonly Score[] {
  // If each price is known, an absent sum means that the calls were free.
  const isPriced = (usage.unpricedCalls ?? 0) === 0;
  const figures: readonly (readonly [name: string, limit: number | undefined, used: number | null, unit: string])[] = [
    ["rounds", limits.rounds, rounds.length, "rounds"],
    ["toolCalls", limits.toolCalls, calls.length, "tool calls"],
    ["tokens", limits.tokens, usage.inputTokens + usage.outputTokens, "tokens"],
    ["usd", limits.usd, isPriced ? (usage.costMicroUsd ?? 0) / 1_000_000 : null, "US dollars"],
    ["seconds", limits.seconds, elapsedMs / 1000, "seconds"],
  ];
  return figures.flatMap(([name, limit, used, unit]) =>
    limit === undefined
      ? []
      : [
          verdict(
            "cost",
            `limits.${name}`,
            used !== null && used <= limit,
            `The run took ${used ?? "an unknown number of"} ${unit}, at most ${limit} are expected.`,
          ),
        ],
  );
}
