import { type Registration, type Run, shardOf } from "@toolbus/contracts";
import { ModelError } from "@toolbus/models";
import type { Outbox } from "@toolbus/runtime";
import type { Change, StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Catalogue } from "../catalogue.ts";
import type { Profile } from "../profile.ts";
import type { ModelOf } from "../profiles/profile-models.ts";
import { acquire, type Claimant, release } from "./acquire.ts";
import { Draft, type Snapshot } from "./draft.ts";
import { failRun, finishCancel, limitReached, MAX_ATTEMPTS, type Stopped, timeLimit } from "./end.ts";
import { type Interrupted, keepLease } from "./lease-keeper.ts";
import { withLoopTools } from "./loop-tools.ts";
import { failureOfModel, type ModelFailure, retryLater, retryPlan } from "./model-retry.ts";
import { modelTurn } from "./model-turn.ts";
import type { Rules } from "./rules.ts";
import { seedPlan, seedTurn } from "./seed.ts";
import type { Snapshots } from "./snapshots.ts";
import { withStepSpan } from "./step-span.ts";
import { toolChoiceOf } from "./tool-choice.ts";
import type { Transcripts } from "./transcripts.ts";
import { commitTurn, type Turn } from "./turn.ts";

export interface Stepper {
  readonly state: StateStore;
  readonly outbox: Outbox;
  readonly snapshots: Snapshots;
  readonly modelOf: ModelOf;
  readonly catalogue: Catalogue;
  readonly transcripts: Transcripts;
  readonly rules: Rules;
  readonly log: Log;
}

/**
 * Takes a run one step further: acquire, ask the model (its lease renewed meanwhile), commit the turn. One message is one step with at most one
 * model call. Whatever dies in between is found again by the run's timer.
 */
export async function advanceRun(stepper: Stepper, runId: string, claimant: Claimant, signal: AbortSignal): Promise<void> {
  const guess = stepper.snapshots.guess(runId);
  const held =
    (guess && (await acquired(stepper, guess, claimant))) ?? (await acquired(stepper, await stepper.snapshots.load(runId), claimant));
  if (!held) return;
  const run = held.run.value;
  await withStepSpan(run, stepper.modelOf(run.profile).name, async () => {
    const end = await step(stepper, held, run.attempts - 1, signal);
    if (end) await commitWhileOurs(stepper, run, end);
  });
}

/** The run in our hands; null when it is not to be had, or is another one than this snapshot says. */
async function acquired({ outbox, rules, snapshots }: Stepper, snapshot: Snapshot | null, claimant: Claimant): Promise<Snapshot | null> {
  if (!snapshot) return null;
  const got = acquire(snapshot, claimant, rules);
  // The holder goes on with it, or the run's timer finds it when the lease is over.
  if (got.kind !== "acquired") return null;
  const reply = await outbox.commit(shardOf(got.run.runId), got.change);
  if (reply.outcome !== "ok") return null;
  snapshots.written(snapshot, got.change, reply);
  // Nothing of the run can have changed since it was read, or the commit would not have been made.
  return { ...snapshot, now: reply.now, run: { version: reply.commit, value: got.run } };
}

/** How a step ends: the change, made of the documents as they are when it is committed. */
type StepEnd = (snapshot: Snapshot) => Change | null;

/**
 * Commits the end of a step. A commit that is stale because something else moved (another message was queued in the conversation) is made again;
 * one whose run moved on without us, by a cancel or another epoch, is thrown away.
 */
async function commitWhileOurs({ outbox, snapshots }: Stepper, run: Run, end: StepEnd): Promise<void> {
  const guess = snapshots.guess(run.runId);
  for (let attempt = guess ? -1 : 0; attempt < TRIES; attempt++) {
    const snapshot = attempt < 0 ? guess : await snapshots.load(run.runId);
    const ours = snapshot && snapshot.run.value.epoch === run.epoch && snapshot.run.value.status === "ready";
    const change = ours ? end(snapshot) : null;
    // Only what the store says now is a reason to do nothing.
    if (!ours || !change) {
      if (attempt < 0) continue;
      return;
    }
    const reply = await outbox.commit(shardOf(run.runId), change);
    if (reply.outcome === "ok") return snapshots.written(snapshot, change, reply);
  }
}

const TRIES = 20;

/** What ends this step, or null when the run is not ours any more. */
async function step(stepper: Stepper, held: Snapshot, attemptsBefore: number, signal: AbortSignal): Promise<StepEnd | null> {
  const { rules } = stepper;
  const run = held.run.value;
  if (run.cancel) return (now) => finishCancel(now, rules);
  const stopped = limitReached({ ...held, run: { ...held.run, value: { ...run, attempts: attemptsBefore } } }, rules);
  if (stopped) return (now) => failRun(now, stopped, rules);
  const profile = rules.profile(run.profile);
  if (!profile) return null;
  const { MODEL_TIMEOUT_MS } = rules.config;
  const lease = keepLease(stepper, run, Math.min(MODEL_TIMEOUT_MS, profile.limits.activeMs - run.activeMs), signal);
  try {
    const tools = withLoopTools(await stepper.catalogue.toolsOf(run.tools), profile);
    const turn = run.round === 0 ? seedTurn(profile, run) : await turnOfModel(stepper, run, profile, tools, lease.signal);
    await lease.stop();
    if ("code" in turn) return (now) => failRun(now, turn, rules);
    return (now) => commitTurn({ snapshot: now, epoch: run.epoch, turn, tools }, rules);
  } catch (error) {
    await lease.stop();
    return afterFailure(stepper, run, profile, lease.interrupted(), error);
  }
}

async function turnOfModel(
  { state, modelOf, transcripts, log }: Stepper,
  run: Run,
  profile: Profile,
  tools: ReadonlyMap<string, Registration>,
  signal: AbortSignal,
): Promise<Turn | Stopped> {
  const transcript = await transcripts.read(run.conversationId);
  if (!transcript)
    return { code: "context_too_long", message: "The conversation has become too long to be read as a whole; go on in a new one." };
  const provider = modelOf(run.profile);
  const toolChoice = toolChoiceOf(profile, run, tools);
  if (run.usage.modelCalls === 0 && run.attempts === 1) {
    const { runId, profile: name } = run;
    log.debug(
      { runId, profile: name, provider: provider.name, model: provider.model, tools: tools.size, toolChoice },
      "the run's model and tools",
    );
    for (const { tool, why } of seedPlan(profile, run).skipped) log.info({ runId, profile: name, tool, why }, "a seed call was left out");
  }
  return modelTurn({ state, provider, run, profile, transcript, tools, toolChoice }, signal);
}

/** What follows from a step that failed: another try later, or the end of the run with the reason of the last one. */
function afterFailure(
  { rules, log }: Stepper,
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
  // A process that stops has failed at nothing: another one goes on.
  if (interrupted === "stopping") return (now) => release(now, epoch, 0, rules);
  const failure = modelFailureOf(interrupted, error, rules);
  if (failure) return afterModelFailure({ rules, log }, run, profile, { failure, interrupted, error });
  const stopped: Stopped = { code: "step_failed", message: "A step of the run failed again and again; the agent's log says why." };
  const final = attempts >= MAX_ATTEMPTS;
  if (final) log.error({ error, runId, code: stopped.code, attempts }, "a step failed for good");
  else log.warn({ error, runId, code: stopped.code, attempts }, "a step failed and is tried again");
  return (now) => {
    if (final || activeTimeIsOver(now, profile, rules)) return failRun(now, stopped, rules);
    return release(now, epoch, Math.min(60_000, 500 * 2 ** attempts), rules);
  };
}

interface FailedModelCall {
  readonly failure: ModelFailure;
  readonly interrupted: Interrupted | null;
  readonly error: unknown;
}

/** The model call is made again after a wait that the store keeps, or the run ends with what the provider said last. */
function afterModelFailure(
  { rules, log }: Pick<Stepper, "rules" | "log">,
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
  if (plan.kind === "again") log.warn({ ...about, waitMs: plan.waitMs }, "a model call failed and is made again");
  else log.error(about, "a model call failed for good");
  return (now) => {
    if (plan.kind === "given-up") return failRun(now, { code: failure.code, message: plan.message }, rules);
    if (activeTimeIsOver(now, profile, rules)) {
      const { activeMs } = profile.limits;
      return failRun(now, interrupted === "too_long" ? timeLimit(activeMs) : { code: failure.code, message: failure.message }, rules);
    }
    return retryLater(now, { epoch, failure, plan }, rules);
  };
}

function activeTimeIsOver(now: Snapshot, { limits }: Profile, rules: Rules): boolean {
  return new Draft({ ...now, calls: [] }, rules).activeMs >= limits.activeMs;
}

/** The failure of the model that stopped a step; null when something of ours did. */
function modelFailureOf(interrupted: Interrupted | null, error: unknown, { config }: Rules): ModelFailure | null {
  if (interrupted === "too_long") {
    const seconds = Math.round(config.MODEL_TIMEOUT_MS / 1000);
    return { code: "model_timeout", message: `The model did not answer within ${seconds} s.`, retryable: true, retryAfterMs: null };
  }
  return error instanceof ModelError ? failureOfModel(error) : null;
}
