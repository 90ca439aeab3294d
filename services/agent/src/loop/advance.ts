import { type Json, keys, type Registration, type Run, shardOf, type TranscriptEntry } from "@toolbus/contracts";
import { assertPaired, ModelError, type ModelProvider, type ModelReply } from "@toolbus/models";
import { type Outbox, pause } from "@toolbus/runtime";
import type { Change, StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { Catalogue } from "../catalogue.ts";
import type { Profile } from "../profile.ts";
import { acquire, type Claimant, release, renew } from "./acquire.ts";
import type { Snapshot } from "./draft.ts";
import { failRun, finishCancel, limitReached } from "./end.ts";
import { liveText } from "./live-text.ts";
import { loadSnapshot } from "./load.ts";
import { seedTurn } from "./seed.ts";
import { commitTurn, type Turn } from "./turn.ts";
import type { Rules } from "./rules.ts";

export interface Stepper {
  readonly state: StateStore;
  readonly outbox: Outbox;
  readonly provider: ModelProvider;
  readonly catalogue: Catalogue;
  readonly rules: Rules;
  readonly log: Log;
}

/**
 * Takes a run one step further: acquire, ask the model (its lease renewed meanwhile), commit the turn. One message is one step with at most one
 * model call. Whatever dies in between is found again by the run's timer.
 */
export async function advanceRun(stepper: Stepper, runId: string, claimant: Claimant, signal: AbortSignal): Promise<void> {
  const { state, outbox, rules } = stepper;
  const snapshot = await loadSnapshot(state, runId);
  if (!snapshot || snapshot.run.value.status !== "ready") return;
  const got = acquire(snapshot, claimant, rules);
  // The holder goes on with it, or the run's timer finds it when the lease is over.
  if (got.kind !== "acquired") return;
  const acquired = await outbox.commit(shardOf(runId), got.change);
  if (acquired.outcome !== "ok") return;
  const held = await loadSnapshot(state, runId);
  if (!held || held.run.value.epoch !== got.run.epoch) return;
  const end = await step(stepper, held, snapshot.run.value.attempts, signal);
  if (end) await commitWhileOurs(stepper, got.run, end);
}

/** How a step ends: the change, made of the documents as they are when it is committed. */
type StepEnd = (snapshot: Snapshot) => Change | null;

/**
 * Commits the end of a step. A commit that is stale because something else moved (another message was queued in the conversation) is made again;
 * one whose run moved on without us, by a cancel or another epoch, is thrown away.
 */
async function commitWhileOurs({ state, outbox }: Stepper, run: Run, end: StepEnd): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const snapshot = await loadSnapshot(state, run.runId);
    if (!snapshot || snapshot.run.value.epoch !== run.epoch || snapshot.run.value.status !== "ready") return;
    const change = end(snapshot);
    if (!change || (await outbox.commit(shardOf(run.runId), change)).outcome === "ok") return;
  }
}

const TRIES = 20;

/** What ends this step, or null when the run is not ours any more. */
async function step(stepper: Stepper, held: Snapshot, attemptsBefore: number, signal: AbortSignal): Promise<StepEnd | null> {
  const { rules, log } = stepper;
  const run = held.run.value;
  if (run.cancel) return (now) => finishCancel(now, rules);
  const stopped = limitReached({ ...held, run: { ...held.run, value: { ...run, attempts: attemptsBefore } } }, rules);
  if (stopped) return (now) => failRun(now, stopped, rules);
  const profile = rules.profile(run.profile);
  if (!profile) return null;
  const tools = await stepper.catalogue.toolsOf(run.tools);
  const lease = keepLease(stepper, run, signal);
  try {
    const turn = run.round === 0 ? seedTurn(profile, run) : await modelTurn(stepper, run, profile, tools, lease.signal);
    await lease.stop();
    return (now) => commitTurn({ snapshot: now, epoch: run.epoch, turn, tools }, rules);
  } catch (error) {
    await lease.stop();
    if (lease.signal.aborted && !signal.aborted) {
      log.info({ runId: run.runId, epoch: run.epoch }, "the run was taken over or cancelled during its model call");
      return null;
    }
    return afterFailure(stepper, run, error);
  }
}

function afterFailure({ rules, log }: Stepper, run: Run, error: unknown): StepEnd {
  if (error instanceof ModelError && !error.retryable) {
    log.error({ runId: run.runId, code: error.code }, "the model provider refused the request");
    return (now) => failRun(now, { code: error.code, message: error.message }, rules);
  }
  log.warn({ error, runId: run.runId, attempts: run.attempts }, "a step failed and is tried again");
  return (now) => release(now, run.epoch, Math.min(60_000, 500 * 2 ** run.attempts), rules);
}

async function modelTurn(
  stepper: Stepper,
  run: Run,
  profile: Profile,
  tools: ReadonlyMap<string, Registration>,
  signal: AbortSignal,
): Promise<Turn> {
  const { provider, state } = stepper;
  const transcript = await readTranscript(state, run.conversationId);
  assertPaired(transcript);
  const events = await lastSequence(state, keys.events(run.runId));
  const live = liveText(state, run, events);
  try {
    const reply: ModelReply = await provider.complete(
      {
        system: profile.systemPrompt,
        transcript,
        tools: [...tools.values()].map(({ definition: { name, description, parameters } }) => ({ name, description, parameters })),
        maxTokens: profile.limits.maxTokens,
        run: { runId: run.runId, profile: run.profile, input: run.input },
      },
      { signal, onText: live.add },
    );
    return {
      provider: provider.name,
      model: reply.model,
      text: reply.text,
      // A cut-off reply may hold half a call: none of them is trusted.
      calls: reply.stop === "max_tokens" ? [] : reply.calls,
      seed: false,
      truncated: reply.stop === "max_tokens",
      usage: reply.usage,
    };
  } finally {
    await live.end();
  }
}

/** Renews the lease until stopped; its signal aborts when the lease is lost, the model call takes too long, or the process stops. */
function keepLease(
  { state, outbox, rules }: Stepper,
  run: Run,
  parent: AbortSignal,
): { readonly signal: AbortSignal; stop(): Promise<void> } {
  const lost = new AbortController();
  const stopped = new AbortController();
  const { RUN_RENEW_MS, MODEL_TIMEOUT_MS } = rules.config;
  const beats = (async () => {
    for (let beat = 1; ; beat++) {
      await pause(RUN_RENEW_MS, stopped.signal);
      if (stopped.signal.aborted) return;
      const snapshot = await loadSnapshot(state, run.runId).catch(() => null);
      // A store that does not answer is no lost lease: the epoch fences us anyway.
      if (!snapshot) continue;
      const change = renew(snapshot, run.epoch, beat, rules);
      if (!change) return lost.abort(new Error("the run's lease was lost"));
      await outbox.commit(shardOf(run.runId), change).catch(() => undefined);
    }
  })();
  return {
    signal: AbortSignal.any([parent, lost.signal, AbortSignal.timeout(MODEL_TIMEOUT_MS)]),
    async stop() {
      stopped.abort();
      await beats;
    },
  };
}

const PAGE = 500;

async function readTranscript(state: StateStore, conversationId: string): Promise<TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  for (let after = 0; ;) {
    const page = await state.range(keys.transcript(conversationId), { after, limit: PAGE });
    for (const entry of page) entries.push(entry.value as Json as unknown as TranscriptEntry);
    if (page.length < PAGE) return entries;
    after = page.at(-1)?.sequence ?? after;
  }
}

async function lastSequence(state: StateStore, log: string): Promise<number> {
  for (let after = 0; ;) {
    const page = await state.range(log, { after, limit: PAGE });
    after = page.at(-1)?.sequence ?? after;
    if (page.length < PAGE) return after;
  }
}
