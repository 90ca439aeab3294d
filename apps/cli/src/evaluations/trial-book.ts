import { type Assignment, type FixtureAnswers, fixtureAnswers, type Scenario } from "@toolbus/evals";

/** What a trial gives to its runs. */
export interface OpenTrial {
  readonly answers: FixtureAnswers;
  /** The turns that are left for the next run of the trial. Null if the model is asked. */
  readonly turns: Scenario["turns"];
}

/**
 * The trials of a host by their runs. A call finds its trial by the run in its id, so it can never find the fixtures of another trial. A run may call
 * before the host has read its id in the answer to the request. Such a call waits.
 */
export interface TrialBook {
  readonly open: (assignment: Assignment) => OpenTrial;
  /** Says that a run belongs to a trial. `turns` are those of this run. */
  enter(runId: string, trial: OpenTrial): void;
  /** Returns the trial of a run. Returns null if nobody enters the run in time, and rejects with the signal's reason once the signal has aborted. */
  of(runId: string, signal: AbortSignal): Promise<OpenTrial | null>;
}

/** The request that starts a run is answered long before this time has passed. */
const PATIENCE_MS = 10_000;

export function trialBook(patienceMs = PATIENCE_MS): TrialBook {
  const trials = new Map<string, OpenTrial>();
  const waiting = new Map<string, PromiseWithResolvers<OpenTrial | null>>();
  return {
    open: ({ scenario }) => ({ answers: fixtureAnswers(scenario), turns: scenario.turns }),
    enter(runId, trial) {
      trials.set(runId, trial);
      waiting.get(runId)?.resolve(trial);
    },
    async of(runId, signal) {
      const known = trials.get(runId);
      if (known) return known;
      signal.throwIfAborted();
      const entered = waiting.get(runId) ?? Promise.withResolvers<OpenTrial | null>();
      waiting.set(runId, entered);
      const { promise: ended, resolve, reject } = Promise.withResolvers<null>();
      const timer = setTimeout(() => resolve(null), patienceMs);
      const onAbort = (): void => reject(signal.reason);
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        return await Promise.race([entered.promise, ended]);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

/** Returns the run that a call belongs to. Calls of a sub-run belong to the run that a person started. */
export function runOfCall(callId: string): string {
  return callId.replace(/[~.].*$/, "");
}
