import type { Run } from "@toolbus/contracts";
import { ModelError } from "@toolbus/models";
import type { Change } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Profile } from "../profile.ts";
import { release } from "../transitions/acquire.ts";
import { Draft } from "../transitions/draft.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { failRun, MAX_ATTEMPTS, type Stopped, timeLimit } from "../transitions/end.ts";
import type { Interrupted } from "./lease-keeper.ts";
import { failureOfModel, type ModelFailure, retryLater, retryPlan } from "../transitions/model-retry.ts";
import type { Rules } from "../transitions/rules.ts";

/** The end of a step. This function makes the change from the documents that are current at the time of the commit. */
export interface StepEnd {
  (snapshot: Snapshot): Change | null;
  /** Called when the change was committed. */
  readonly committed?: () => void;
}

/** Returns the consequence of a failed step: a later retry, or the end of the run with the last reason. Returns null if the run is no longer ours. */
export function afterFailure(
  { rules, log }: { readonly rules: Rules; readonly log: Log },
  run: Run,
  profile: Profile,
  interrupted: Interrupted | null,
  error: unknown,
): StepEnd | null {
  const { runId, epoch, attempts } = run;
  if (interrupted === "lost") {
    log.info({ runId, epoch }, "the run was taken over or cancelled during its model call");
    return null;
  }
  // A process that is stopping has not failed. Another process continues the run.
  if (interrupted === "stopping") return (now) => release(now, epoch, 0, rules);
  const failure = modelFailureOf(interrupted, error, rules);
  if (failure) return afterModelFailure({ rules, log }, run, profile, { failure, interrupted, error });
  const stopped: Stopped = { code: "step_failed", message: "A step of the run failed repeatedly; the agent's log says why." };
  const final = attempts >= MAX_ATTEMPTS;
  const about = { error, runId, code: stopped.code, attempts };
  const end: StepEnd = (now) => {
    if (final || activeTimeIsOver(now, profile, rules)) return failRun(now, stopped, rules);
    return release(now, epoch, Math.min(60_000, 500 * 2 ** attempts), rules);
  };
  return toldOf(end, () => {
    if (final) log.error(about, "a step failed permanently");
    else log.warn(about, "a step failed and is retried");
  });
}

interface FailedModelCall {
  readonly failure: ModelFailure;
  readonly interrupted: Interrupted | null;
  readonly error: unknown;
}

/** Plans a repeat of the model call, or ends the run with the provider's last message. The wait for the repeat is a timer in the store. */
function afterModelFailure(
  { rules, log }: { readonly rules: Rules; readonly log: Log },
  run: Run,
  profile: Profile,
  { failure, interrupted, error }: FailedModelCall,
): StepEnd {
  const { MODEL_ATTEMPTS, MODEL_RETRY_MS, MODEL_RETRY_MAX_MS, MODEL_RETRY_AFTER_MAX_MS } = rules.config;
  const policy = {
    attempts: MODEL_ATTEMPTS,
    initialMs: MODEL_RETRY_MS,
    maxMs: MODEL_RETRY_MAX_MS,
    retryAfterMaxMs: MODEL_RETRY_AFTER_MAX_MS,
  };
  const before = run.modelFailures?.count ?? 0;
  const plan = retryPlan(failure, before, policy, rules.random);
  const { runId, epoch, round } = run;
  const about = { error, runId, round, code: failure.code, attempt: before + 1 };
  const end: StepEnd = (now) => {
    if (plan.kind === "given-up") return failRun(now, { code: failure.code, message: plan.message }, rules);
    if (activeTimeIsOver(now, profile, rules)) {
      const { activeMs } = profile.limits;
      return failRun(now, interrupted === "too_long" ? timeLimit(activeMs) : { code: failure.code, message: failure.message }, rules);
    }
    return retryLater(now, { epoch, failure, plan }, rules);
  };
  return toldOf(end, () => {
    if (plan.kind === "again") log.warn({ ...about, waitMs: plan.waitMs }, "a model call failed and is retried");
    else log.error(about, "a model call failed permanently");
  });
}

/**
 * Returns an end that is logged only after its commit. If a holder was paused, another holder may have continued the run, and the paused one may have
 * read a half-changed state. Then the commit fails, and no failure must be logged.
 */
function toldOf(end: StepEnd, committed: () => void): StepEnd {
  return Object.assign((now: Snapshot) => end(now), { committed });
}

function activeTimeIsOver(now: Snapshot, { limits }: Profile, rules: Rules): boolean {
  return new Draft({ ...now, calls: [] }, rules).activeMs >= limits.activeMs;
}

/** Returns the model failure that stopped a step, or null if the fault was ours. */
function modelFailureOf(interrupted: Interrupted | null, error: unknown, { config }: Rules): ModelFailure | null {
  if (interrupted === "too_long") {
    const seconds = Math.round(config.MODEL_TIMEOUT_MS / 1000);
    return { code: "model_timeout", message: `The model did not answer within ${seconds} s.`, retryable: true, retryAfterMs: null };
  }
  return error instanceof ModelError ? failureOfModel(error) : null;
}
