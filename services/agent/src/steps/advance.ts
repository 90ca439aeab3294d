import type { Place, Places } from "@toolbus/bus";
import { type Message, type Registration, type Run, shardOf } from "@toolbus/contracts";
import type { ModelProvider } from "@toolbus/models";
import type { Change } from "@toolbus/state";
import type { Ahead } from "./ahead.ts";
import { seedWithin } from "./complete-within.ts";
import { callableTools } from "../callable-tools.ts";
import type { Catalogue } from "../catalogue.ts";
import { withContext } from "../context/context-document.ts";
import type { Profile } from "../profile.ts";
import type { ModelOf } from "../profiles/profile-models.ts";
import type { ToolOffers } from "../tool-offers.ts";
import { addUsage } from "../usage.ts";
import { acquire, type Claimant } from "../transitions/acquire.ts";
import { commitSummary } from "../transitions/commit-summary.ts";
import { holds } from "../transitions/holds.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { failRun, finishCancel, limitReached } from "../transitions/end.ts";
import { afterFailure, type StepEnd } from "./failed-step.ts";
import { keepLease } from "./lease-keeper.ts";
import { withLoopTools } from "../transitions/loop-tools.ts";
import { type ModelParts, type ModelStep, modelStep } from "./model-step.ts";
import { readyTurn } from "./ready-turn.ts";
import type { Rides } from "./rides.ts";
import { seedPlan, seedTurn } from "../transitions/seed.ts";
import { snapshotAfter, type Snapshots } from "../documents/snapshots.ts";
import type { LocalCalls } from "../outgoing/local-calls.ts";
import { mergeChanges } from "../transitions/merge-changes.ts";
import { withStepSpan } from "./step-span.ts";
import type { StrayLines } from "./stray-lines.ts";
import { toolChoiceOf } from "../transitions/tool-choice.ts";
import { callingTurn, closingTurn, isDirectCall } from "../direct-call/direct-call.ts";
import { commitTurn } from "../transitions/turn.ts";
import type { WriteProofs } from "./write-proofs.ts";

export interface Stepper extends ModelParts {
  readonly outbox: LocalCalls;
  readonly snapshots: Snapshots;
  readonly modelOf: ModelOf;
  readonly catalogue: Catalogue;
  readonly proofs: WriteProofs;
  readonly strays: StrayLines;
  readonly toolOffers: Pick<ToolOffers, "find" | "registered">;
  /** The steps that this process may do at the same time, whatever begins them. */
  readonly places: Places;
  readonly rides: Rides;
  readonly monotonic: () => number;
  /** Makes the local calls of a committed turn, and continues the run when they have their results. */
  readonly callHere: (turn: CommittedTurn) => void;
}

/** A turn that was committed, with the invokes of its calls that no message carries, because this process serves their toolsets. */
export interface CommittedTurn {
  /** The run after the commit, or null if the commit does not determine all of it. */
  readonly snapshot: Snapshot | null;
  readonly invokes: readonly Message[];
}

/** A run that this process holds, and the change that acquired it, if that is not committed yet. The step must leave the place. */
export interface HeldRun {
  readonly held: Snapshot;
  readonly ahead: Ahead | null;
  readonly place: Place;
}

/**
 * Advances a run by one step: acquires it, asks the model while renewing the lease, and commits the turn. One message causes one step, with at most
 * one successful model call. If a process dies in between, the run's timer finds the run again. Waits for a place if the process does as many steps
 * as it may.
 */
export async function advanceRun(stepper: Stepper, runId: string, claimant: Claimant, signal: AbortSignal): Promise<void> {
  const place = stepper.places.tryTake() ?? (await stepper.places.take(signal));
  try {
    const guess = stepper.snapshots.guess(runId);
    const held =
      (guess && (await acquired(stepper, guess, claimant))) ?? (await acquired(stepper, await stepper.snapshots.load(runId), claimant));
    if (held) await advanceHeld(stepper, { held, ahead: null, place }, signal);
  } finally {
    place.leave();
  }
}

/** Does the step of a run that this process holds, commits its end, and leaves the place. */
export async function advanceHeld(stepper: Stepper, { held, ahead, place }: HeldRun, signal: AbortSignal): Promise<void> {
  const run = held.run.value;
  try {
    const turn = await withStepSpan(run, stepper.modelOf(run.profile).name, async () => {
      const began = ahead && (await begunAhead(stepper, run, ahead));
      if (began === "lost") return null;
      const end = await step(stepper, held, began, signal);
      if (end) return commitEnd(stepper, run, end, began);
      await began?.settle();
      return null;
    });
    if (turn && turn.invokes.length > 0) stepper.callHere(turn);
  } finally {
    place.leave();
  }
}

/**
 * Returns the change that still rides, or null if it is committed now. A reservation in a budget is named by the run's epoch. So if a budget limits
 * the run, no other step may ever get the same epoch, and the change does not ride.
 */
async function begunAhead({ budgets }: Stepper, run: Run, ahead: Ahead): Promise<Ahead | null | "lost"> {
  if (!budgets.limits(run.profile)) return ahead;
  await ahead.store();
  if ((await ahead.take()).kind === "committed") return null;
  await ahead.again();
  return "lost";
}

/** Acquires the run. Returns null if the run is not available or differs from this snapshot. */
async function acquired({ outbox, rules, snapshots }: Stepper, snapshot: Snapshot | null, claimant: Claimant): Promise<Snapshot | null> {
  if (!snapshot) return null;
  const got = acquire(snapshot, claimant, rules);
  // The holder continues the run, or the run's timer finds it when the lease has expired.
  if (got.kind !== "acquired") return null;
  const reply = await outbox.commit(shardOf(got.run.runId), got.change);
  if (reply.outcome !== "ok") return null;
  snapshots.written(snapshot, got.change, reply);
  // The commit would have failed if the run had changed since the snapshot was read.
  return { ...snapshot, now: reply.now, run: { version: reply.commit, value: got.run } };
}

/** Commits the end of a step, together with the change that began the step if that is not committed yet. */
async function commitEnd(stepper: Stepper, run: Run, end: StepEnd, ahead: Ahead | null): Promise<CommittedTurn | null> {
  const ridden = await ahead?.take();
  if (!ahead || !ridden || ridden.kind === "committed") return commitWhileOurs(stepper, run, end);
  const turn = ridden.kind === "riding" ? await commitTogether(stepper, ahead, ridden.change, end) : null;
  // Nothing of the step is in the store. So the reply is discarded, and the work that began the step is repeated.
  if (!turn) await ahead.again();
  return turn;
}

/** Commits the beginning and the end of a step at once. Returns null if the store refused them. */
async function commitTogether(
  { outbox, snapshots }: Stepper,
  ahead: Ahead,
  beginning: Change,
  end: StepEnd,
): Promise<CommittedTurn | null> {
  const held = ahead.held();
  const made = end(held);
  if (!made) return null;
  const change = mergeChanges("round", beginning, made);
  const { reply, invokes } = await outbox.commitOnly(shardOf(held.run.value.runId), change);
  if (reply.outcome !== "ok") return null;
  end.committed?.();
  snapshots.written(ahead.base, change, reply, { before: held.run.version, change: made });
  return { snapshot: snapshotAfter(ahead.base, change, reply), invokes };
}

/**
 * Commits the end of a step. If the commit is stale because something else changed, such as the queue of the conversation, this function makes it
 * again. It discards the end if a cancel or another epoch has changed the run. It also discards an end that was already committed, if only the reply
 * was lost.
 */
async function commitWhileOurs({ outbox, snapshots }: Stepper, run: Run, end: StepEnd): Promise<CommittedTurn | null> {
  const guess = snapshots.guess(run.runId);
  for (let attempt = guess ? -1 : 0; attempt < TRIES; attempt++) {
    const snapshot = attempt < 0 ? guess : await snapshots.load(run.runId);
    const ours = snapshot && holds(run.epoch, snapshot.run.value);
    const change = ours ? end(snapshot) : null;
    // Only the store's current state can justify doing nothing.
    if (!ours || !change) {
      if (attempt < 0) continue;
      return null;
    }
    const { reply, invokes } = await outbox.commitOnly(shardOf(run.runId), change);
    if (reply.outcome !== "ok") continue;
    end.committed?.();
    snapshots.written(snapshot, change, reply);
    return { snapshot: snapshotAfter(snapshot, change, reply), invokes };
  }
  return null;
}

const TRIES = 20;

/** Does the work of a step. Returns the change that ends it, or null if the run is no longer ours. */
async function step(stepper: Stepper, held: Snapshot, ahead: Ahead | null, signal: AbortSignal): Promise<StepEnd | null> {
  const { rules } = stepper;
  const run = held.run.value;
  const attemptsBefore = run.attempts - 1;
  if (run.cancel) return (now) => finishCancel(now, rules);
  const stopped = limitReached({ ...held, run: { ...held.run, value: { ...run, attempts: attemptsBefore } } }, rules);
  if (stopped) return (now) => failRun(now, stopped, rules);
  const profile = rules.profile(run.profile);
  if (!profile) return null;
  const { MODEL_TIMEOUT_MS } = rules.config;
  const lease = keepLease(stepper, run, Math.min(MODEL_TIMEOUT_MS, profile.limits.activeMs - run.activeMs), signal);
  try {
    const tools = withLoopTools(await stepper.catalogue.toolsOf(run.tools), profile, held.conversation.value);
    const asked = await askedStep(stepper, held, { profile, tools, ahead }, lease.signal);
    const ready = asked.kind === "turn" ? await readyTurn(stepper, { run, now: held.now }, asked.turn, tools) : null;
    await lease.stop();
    switch (asked.kind) {
      case "stopped":
        return (now) => failRun(now, asked.stopped, rules);
      case "summary":
        return (now) =>
          commitSummary({ snapshot: now, epoch: run.epoch, document: asked.document, usage: addUsage(run.usage, asked.usage) }, rules);
      case "turn":
        return (now) => {
          const change = commitTurn({ snapshot: now, epoch: run.epoch, tools, turn: asked.turn, ...ready }, rules);
          return change && withContext(change, asked.document);
        };
    }
  } catch (error) {
    await lease.stop();
    return afterFailure(stepper, run, profile, lease.interrupted(), error);
  }
}

interface Asked {
  readonly profile: Profile;
  readonly tools: ReadonlyMap<string, Registration>;
  readonly ahead: Ahead | null;
}

/** Returns the seed turn, the model's turn, a summary, or the reason to stop. */
async function askedStep(
  stepper: Stepper,
  { run: { value: run, version }, now }: Snapshot,
  { profile, tools, ahead }: Asked,
  signal: AbortSignal,
): Promise<ModelStep> {
  const direct = isDirectCall(profile);
  if (direct && run.round > 0) return { kind: "turn", turn: closingTurn(run) };
  if (run.round === 0) {
    const turn = direct ? callingTurn(run) : seedTurn(profile, run);
    const seeded = await seedWithin(stepper.budgets, run, turn, signal);
    return "code" in seeded ? { kind: "stopped", stopped: seeded } : { kind: "turn", turn: seeded };
  }
  const provider = stepper.modelOf(run.profile);
  logFirst(stepper, run, profile, provider, tools);
  return modelStep(stepper, { run, profile, provider, tools, now, version, ahead }, signal);
}

/** Logs one debug line per run about its model and tools, and one info line for each seed call that was left out. */
function logFirst({ log }: Stepper, run: Run, profile: Profile, provider: ModelProvider, tools: ReadonlyMap<string, Registration>): void {
  if (run.usage.modelCalls > 0 || run.attempts > 1) return;
  const { runId, profile: name } = run;
  const offered = callableTools(provider, tools);
  const toolChoice = toolChoiceOf(profile, run, offered);
  log.debug(
    { runId, profile: name, provider: provider.name, model: provider.model, tools: offered.size, toolChoice },
    "the run's model and tools",
  );
  for (const { tool, why } of seedPlan(profile, run).skipped) log.info({ runId, profile: name, tool, why }, "a seed call was left out");
}
