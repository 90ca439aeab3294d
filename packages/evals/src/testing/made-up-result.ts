import type { SuiteResult } from "../result/suite-result.ts";
import type { Score, Trial } from "../result/trial.ts";

/** What a test says about one trial. Everything else is that of a trial that passed. */
export interface ToldTrial {
  readonly scenario: string;
  readonly variant?: string;
  readonly repeat?: number;
  readonly status?: Trial["status"];
  /** The value of each score by its name. A score passes from 0.5 on. */
  readonly scores?: Readonly<Record<string, number>>;
  /** The names of scores that are advisory. */
  readonly advisory?: readonly string[];
  readonly costMicroUsd?: number | null;
  readonly elapsedMs?: number;
  readonly problem?: string;
  readonly reason?: string;
}

/** Makes a result of the suite `made-up`. Every scenario has the hash of its name unless the test says otherwise. */
export function madeUpResult(trials: readonly ToldTrial[], more: Partial<SuiteResult> = {}): SuiteResult {
  const scenarios = [...new Set(trials.map(({ scenario }) => scenario))];
  return {
    format: "toolbus-eval-result/1",
    suite: "made-up",
    suiteHash: "sha256-made-up",
    scenarioHashes: Object.fromEntries(scenarios.map((scenario) => [scenario, `hash of ${scenario}`])),
    tags: Object.fromEntries(scenarios.map((scenario) => [scenario, ["all"]])),
    models: { default: "offline rules-1" },
    startedAt: "2026-11-29T06:00:00.000Z",
    endedAt: "2026-11-29T06:01:00.000Z",
    trials: trials.map(trialOf),
    ...more,
  };
}

function trialOf(told: ToldTrial): Trial {
  const {
    scenario,
    variant = "default",
    repeat = 1,
    status = "passed",
    scores = {},
    advisory = [],
    costMicroUsd = 1000,
    elapsedMs = 500,
  } = told;
  return {
    scenario,
    variant,
    repeat,
    status,
    scores: Object.entries(scores).map(([name, value]): Score => ({
      name,
      dimension: name.startsWith("judge") ? "judge" : "tool_use",
      value,
      passed: value >= 0.5,
      reason: told.reason ?? `${name} is ${value}.`,
      ...(advisory.includes(name) ? { advisory: true } : {}),
    })),
    usage: { rounds: 2, toolCalls: 3, inputTokens: 100, outputTokens: 20, costMicroUsd, elapsedMs },
    ...(told.problem === undefined ? {} : { problem: told.problem }),
  };
}
