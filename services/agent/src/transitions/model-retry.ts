import type { Run } from "@toolbus/contracts";
import { type ModelError, ProviderError, RateLimitError } from "@toolbus/models";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import { holds } from "./holds.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Rules } from "./rules.ts";

/** A model call that failed, as the run reports it. */
export interface ModelFailure {
  readonly code: string;
  readonly message: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** How long the provider asks us to wait, in milliseconds. Null if it does not say. */
  readonly retryAfterMs: number | null;
}

export interface RetryPolicy {
  /** The most model calls of one round, including the first. */
  readonly attempts: number;
  readonly initialMs: number;
  /** The longest backoff. The backoff doubles after each failure, up to this limit. */
  readonly maxMs: number;
  /** If a provider asks for a longer wait, the run does not wait. */
  readonly retryAfterMaxMs: number;
}

export type RetryPlan =
  | { readonly kind: "again"; readonly attempt: number; readonly waitMs: number }
  | { readonly kind: "given-up"; readonly message: string };

/** Returns the failure that a model's error represents. */
export function failureOfModel(error: ModelError): ModelFailure {
  const { code, message, retryable } = error;
  const retryAfterMs = error instanceof RateLimitError || error instanceof ProviderError ? (error.retryAfterMs ?? null) : null;
  return { code, message: message.slice(0, 1000), retryable, retryAfterMs };
}

/**
 * Plans what follows a failed model call. `before` is the number of earlier failed calls of the same round. The wait is a random time from zero to
 * the backoff ("full jitter", Brooker, "Exponential Backoff And Jitter", AWS 2015), so that runs that failed together do not retry together. The wait
 * is never shorter than the provider asked for.
 */
export function retryPlan(failure: ModelFailure, before: number, policy: RetryPolicy, random: () => number): RetryPlan {
  const attempt = before + 1;
  const { message, retryAfterMs } = failure;
  if (!failure.retryable || attempt >= policy.attempts) return { kind: "given-up", message };
  if (retryAfterMs !== null && retryAfterMs > policy.retryAfterMaxMs)
    return {
      kind: "given-up",
      message: `${message} It asks to be left alone for ${Math.ceil(retryAfterMs / 1000)} s, longer than a run waits; send the message again after that.`,
    };
  const backoff = Math.min(policy.maxMs, policy.initialMs * 2 ** before);
  return { kind: "again", attempt, waitMs: Math.max(1, Math.round(random() * backoff), retryAfterMs ?? 0) };
}

/**
 * Gives the run back until its next attempt. The wait is a timer in the store, so it outlives this process, and it is not active time. The event
 * shows viewers why the text starts again. Returns null if this epoch no longer holds the run.
 */
export function retryLater(
  snapshot: Snapshot,
  {
    epoch,
    failure,
    plan,
  }: { readonly epoch: number; readonly failure: ModelFailure; readonly plan: Extract<RetryPlan, { kind: "again" }> },
  rules: Rules,
): Change | null {
  const run = snapshot.run.value;
  if (!holds(epoch, run)) return null;
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  const { attempt, waitMs } = plan;
  const { code, message } = failure;
  draft.setRun({
    lease: null,
    activeMs: draft.activeMs,
    stepStartedAt: draft.now,
    modelFailures: { count: attempt, waitMs },
    notBefore: draft.now + waitMs,
  });
  draft.event({ type: "model.retry", at: draft.now, round: run.round, attempt, code, message, waitMs });
  draft.runTimer(waitMs);
  return draft.build(`model-retry:${run.runId}:${epoch}`);
}

/** Returns true if a run still waits for its provider. A run that is being cancelled does not wait. */
export function waitsForProvider({ notBefore, cancel }: Run, now: number): boolean {
  return cancel === null && notBefore !== undefined && notBefore > now;
}

/** Returns the run without the record of failed model calls, because its model has answered. */
export function withoutFailures({ modelFailures: _, notBefore: __, ...run }: Run): Run {
  return run;
}
