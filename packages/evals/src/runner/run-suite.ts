import type { SuiteResult } from "../result/suite-result.ts";
import type { Trial } from "../result/trial.ts";
import type { Suite } from "../scenario/scenario.ts";
import type { Journal } from "./journal.ts";
import { REMEDY } from "./journal.ts";
import { runTrial, type Scorers } from "./run-trial.ts";
import type { ScenarioHost, Variant } from "./scenario-host.ts";
import { type TrialKey, trialKey } from "./trial-key.ts";

export interface SuiteRun extends Scorers {
  readonly suite: Suite;
  readonly variants: readonly Variant[];
  /** Starts the host of a variant. Rejects with one sentence if it cannot start. */
  readonly hostOf: (variant: Variant) => Promise<ScenarioHost>;
  readonly journal: Journal;
  /** The number of trials that run at the same time. */
  readonly parallel: number;
  readonly repeats: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Is called at the beginning, when the host of a variant has started, and after each trial. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How far an evaluation is. */
export interface Progress {
  readonly total: number;
  /** All finished trials, with those of the journal. */
  readonly done: number;
  /** The trials that the journal had, which are not run again. */
  readonly known: number;
  readonly failed: number;
  readonly errors: number;
}

/** The journal's trials were run with another model than the one that would run the rest. */
export class OtherModel extends Error {}

/**
 * Runs every trial of a suite that the journal does not have, one variant after the other, and several trials of a variant at the same time. A trial in
 * error is run again if a later call finds it in the journal, and it never ends the other trials. Rejects with the signal's reason once the signal has
 * aborted. The journal then has every finished trial.
 */
export async function runSuite(run: SuiteRun): Promise<SuiteResult> {
  const { suite, variants, journal, repeats, now, onProgress = () => undefined } = run;
  const wanted = trialsOf(suite, variants, repeats);
  const finished = new Map<string, Trial>();
  for (const trial of journal.trials) if (trial.status !== "error") finished.set(trialKey(trial), trial);
  const known = wanted.filter((key) => finished.has(trialKey(key))).length;
  const models: Record<string, string> = { ...journal.models };
  const tell = (): void => {
    const done = wanted.flatMap((key) => finished.get(trialKey(key)) ?? []);
    const count = (status: Trial["status"]): number => done.filter((trial) => trial.status === status).length;
    onProgress({ total: wanted.length, done: done.length, known, failed: count("failed"), errors: count("error") });
  };
  tell();
  for (const variant of variants) {
    const open = wanted.filter((key) => key.variant === variant.name && !finished.has(trialKey(key)));
    if (open.length === 0) continue;
    const host = await run.hostOf(variant);
    try {
      await noteModel(models, variant, host, journal);
      tell();
      await inParallel(open, run.parallel, run.signal, async (key, signal) => {
        const trial = await runTrial(scenarioOf(suite, key), { host, ...key }, run, signal);
        await journal.addTrial(trial);
        finished.set(trialKey(trial), trial);
        tell();
      });
    } finally {
      await host.stop();
    }
  }
  return {
    suite: suite.name,
    suiteHash: suite.hash,
    scenarioHashes: suite.scenarioHashes,
    tags: Object.fromEntries(suite.scenarios.map(({ id, tags }) => [id, tags])),
    models: Object.fromEntries(variants.map(({ name }) => [name, models[name] ?? "unknown"])),
    startedAt: journal.head.startedAt,
    endedAt: new Date(now()).toISOString(),
    trials: wanted.flatMap((key) => finished.get(trialKey(key)) ?? []),
  };
}

/** Returns the trials in the order of the scenarios, then of the variants, then of the repeats. */
function trialsOf(suite: Suite, variants: readonly Variant[], repeats: number): readonly TrialKey[] {
  return suite.scenarios.flatMap(({ id: scenario }) =>
    variants.flatMap(({ name: variant }) => Array.from({ length: repeats }, (_, n) => ({ scenario, variant, repeat: n + 1 }))),
  );
}

function scenarioOf(suite: Suite, { scenario }: TrialKey): Suite["scenarios"][number] {
  const found = suite.scenarios.find(({ id }) => id === scenario);
  if (!found) throw new Error(`The suite ${suite.name} has no scenario ${scenario}.`);
  return found;
}

async function noteModel(models: Record<string, string>, { name }: Variant, { model }: ScenarioHost, journal: Journal): Promise<void> {
  const before = models[name];
  if (before !== undefined && before !== model)
    throw new OtherModel(`The journal has trials of ${before}, and the model is now ${model}: ${REMEDY}`);
  models[name] = model;
  if (before === undefined) await journal.addModel(name, model);
}

/**
 * Does the work for each item, for at most `places` items at the same time. If one rejects, no further work begins, and the function rejects after the
 * work that is under way has ended.
 */
async function inParallel<T>(
  items: readonly T[],
  places: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const until = AbortSignal.any([signal, failing.signal]);
  const left = items.values();
  const line = async (): Promise<void> => {
    for (const item of left) {
      if (until.aborted) return;
      await work(item, until).catch((error: unknown) => failing.abort(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(places, items.length) }, line));
  until.throwIfAborted();
}
