import type { Observation } from "../observation/observation.ts";
import type { Score, Trial, TrialUsage } from "../result/trial.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { type ScenarioHost } from "./scenario-host.ts";
import type { TrialKey } from "./trial-key.ts";

/** Judges what a run did. */
export interface Scorers {
  /** The deterministic scorers. They come first, and ask no model. */
  readonly score: (scenario: Scenario, observation: Observation) => readonly Score[];
  /** Asks a judge about the rubric. Without it, each criterion gets an advisory score that says so. */
  readonly judge?: (scenario: Scenario, observation: Observation, signal: AbortSignal) => Promise<readonly Score[]>;
}

/**
 * Runs one trial and scores it. A trial that cannot be run, does not end in the time of its scenario or cannot be judged has the status `error`, and
 * keeps the scores that it has. If its run began and the host keeps its runs, the problem says where to find the run. Rejects only with the signal's
 * reason, once the signal has aborted.
 */
export async function runTrial(
  scenario: Scenario,
  { host, variant, repeat }: { readonly host: ScenarioHost } & Pick<TrialKey, "variant" | "repeat">,
  { score, judge }: Scorers,
  signal: AbortSignal,
): Promise<Trial> {
  const key = { scenario: scenario.id, variant, repeat };
  let observation: Observation | null = null;
  let scores: readonly Score[] = [];
  let begun: string | null = null;
  const onRun = (runId: string): void => void (begun = runId);
  try {
    observation = await within(scenario, signal, (until) => host.run({ scenario, repeat, onRun }, until));
    scores = score(scenario, observation);
    scores = [...scores, ...(await judged(scenario, observation, judge, signal))];
    if (scores.length === 0 || (!judge && scores.every(({ advisory }) => advisory === true))) throw new Error(NOTHING_JUDGED);
    const undecided = scores.find(({ error, advisory }) => error === true && advisory !== true);
    if (undecided) throw new Error(`The score "${undecided.name}" could not be decided: ${undecided.reason}`);
    const failed = scores.some(({ passed, advisory }) => !passed && advisory !== true);
    return { ...key, status: failed ? "failed" : "passed", scores, usage: usageOf(observation), runId: observation.runId };
  } catch (error) {
    signal.throwIfAborted();
    const problem = (error instanceof Error ? error.message : String(error)).slice(0, MOST_CHARS);
    if (observation) return { ...key, status: "error", scores, usage: usageOf(observation), runId: observation.runId, problem };
    const run = begun === null || !host.lookUp ? {} : { runId: begun, problem: `${problem} ${host.lookUp(begun)}` };
    return { ...key, status: "error", scores, usage: NOTHING, problem, ...run };
  }
}

async function judged(
  scenario: Scenario,
  observation: Observation,
  judge: Scorers["judge"],
  signal: AbortSignal,
): Promise<readonly Score[]> {
  if (scenario.rubric.length === 0) return [];
  if (judge) return within(scenario, signal, (until) => judge(scenario, observation, until));
  return scenario.rubric.map(({ name }) => ({
    name: `judge ${name}`,
    dimension: "judge",
    value: 0,
    passed: false,
    reason: "No judge is configured, so nobody answered this question.",
    advisory: true,
  }));
}

/** Does the work with a signal that also aborts at the end of the scenario's time. Does not wait for work that ignores the signal. */
async function within<T>({ timeoutMs }: Scenario, signal: AbortSignal, work: (until: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`It did not end within ${timeoutMs / 1000} s.`)), timeoutMs);
  const until = AbortSignal.any([signal, late.signal]);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(until.reason);
  until.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(until), aborted]);
  } finally {
    clearTimeout(timer);
    until.removeEventListener("abort", onAbort);
  }
}

function usageOf({ rounds, calls, usage, elapsedMs }: Observation): TrialUsage {
  return {
    rounds: rounds.length,
    toolCalls: calls.length,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    // A sum that lacks the price of some calls is not the cost. If each price is known, an absent sum means that the calls were free.
    costMicroUsd: (usage.unpricedCalls ?? 0) > 0 ? null : (usage.costMicroUsd ?? 0),
    elapsedMs,
  };
}

const NOTHING: TrialUsage = { rounds: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costMicroUsd: null, elapsedMs: 0 };
const NOTHING_JUDGED = "Nothing was judged: the scenario expects nothing that can be scored without a judge, and no judge is configured.";
const MOST_CHARS = 1000;
