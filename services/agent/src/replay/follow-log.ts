import { endedAfterWrites, keys, type LedgerRow, type NumberedRunEvent, type RecordedCall, type RunRecord } from "@toolbus/contracts";
import { advanceRun } from "../steps/advance.ts";
import { cancelRun } from "../transitions/cancel.ts";
import { callDecided, callHeld, callOf } from "../transitions/decided.ts";
import { followWrite } from "../transitions/follow.ts";
import { questionsNoted } from "../transitions/note-questions.ts";
import { redispatch } from "../transitions/redispatch.ts";
import type { AskedModel, NextReply } from "./asked-model.ts";
import { beginRun, putDocuments, startQueued } from "./begin-run.ts";
import { seedContext, seedLastSummaries } from "./seed-context.ts";
import { decisionOf } from "./recorded-decision.ts";
import { replyOf } from "./recorded-turns.ts";
import { type Came, doneRow, resolveRecorded } from "./resolve-recorded.ts";
import type { ReplayWorld } from "./replay-world.ts";
import { askAgain, beforeCancelled, renewedSince } from "./unsaid-steps.ts";

export interface Follower {
  readonly world: ReplayWorld;
  readonly record: RunRecord;
  readonly model: AskedModel;
  /** How each call came to its result. */
  readonly came: Map<string, Came>;
}

/**
 * Lets the agent do what it did next, so that it says the next event of the log. Gives it only what came from outside: a turn of the model, an
 * answer of a worker, a decision or a cancel of a person, or the time. What the agent makes of it is its own.
 */
export async function followEvent(follower: Follower, event: NumberedRunEvent): Promise<void> {
  const { world, record, model } = follower;
  const { runId } = record.run;
  world.clock.set(event.at);
  switch (event.type) {
    case "run.queued":
      return beginRun(world, record);
    case "run.started":
      return event.sequence === 1 ? beginRun(world, record) : startQueued(world, record);
    case "turn":
      await seedContext(world, record, event);
      return step(follower, event.seed ? null : replyOf(record, event));
    case "model.retry":
      return step(follower, {
        kind: "fails",
        provider: providerOf(record),
        code: event.code,
        message: event.message,
        waitMs: event.waitMs,
      });
    case "call.held":
      return held(follower, event);
    case "call.decided":
      return decided(follower, event);
    case "call.unserved":
      return unserved(follower, event);
    case "question.asked":
    case "question.ended":
      return question(follower, event);
    case "call.resolved": {
      const call = record.calls.find(({ callId }) => callId === event.callId);
      const came = call && (await resolveRecorded(world, event, call, record.run.activeMs));
      if (came) follower.came.set(event.callId, came);
      return;
    }
    case "run.cancelling":
      await beforeCancelled(world, record, event);
      await world.commit(runId, cancelRun(await world.snapshot(runId), { entryId: "replay", by: event.by }, world.rules));
      return;
    case "call.settled":
      return settled(follower, event.callId);
    case "run.failed":
      return event.sequence === 1 ? beginRun(world, record) : fail(follower, event);
    case "run.completed":
    case "run.cancelled":
    case "call.asked":
      model.expect(null);
      return step(follower, null);
  }
}

/** Lets the agent record an outcome that it learned after the end of the run. */
export async function settled({ world, record }: Pick<Follower, "world" | "record">, callId: string): Promise<void> {
  const recorded = record.calls.find((one) => one.callId === callId);
  const { runId, conversationId } = record.run;
  const { documents } = await world.state.read([keys.call(callId)]);
  const snapshot = await world.snapshot(runId);
  const [stored] = documents;
  if (!recorded?.settled || !stored) return;
  const { status, code } = recorded.settled;
  const call = { version: stored.version, value: stored.value as unknown as Parameters<typeof followWrite>[0]["call"]["value"] };
  const row = {
    callId,
    toolName: recorded.toolName,
    toolHash: recorded.toolHash,
    argsHash: "",
    jti: "replay",
    fence: 1,
    lease: null,
    beganAt: 1,
    state: "done" as const,
    result: {
      status,
      content: "",
      isError: code !== undefined,
      ...(code === undefined ? {} : { error: errorWith(code) }),
    },
  };
  const followed = { now: world.clock.now(), call, run: snapshot.run, conversation: snapshot.conversation };
  await world.commit(conversationId, followWrite(followed, { row, unproven: false, forgetful: false }, world.rules));
}

function errorWith(code: string) {
  return { code, class: "ToolTerminalError" as const, message: "", retryable: false };
}

async function step({ world, record, model }: Follower, next: NextReply | null): Promise<void> {
  model.expect(next);
  await advanceRun(world.stepper, record.run.runId, { by: "replay", redelivered: true }, NEVER);
}

const NEVER = new AbortController().signal;

async function held({ world, record }: Follower, event: Extract<NumberedRunEvent, { type: "call.held" }>): Promise<void> {
  const { callId: toolCallId, approvalId, tier, effect, expiresAt, approversNeeded } = event;
  const message = {
    toolCallId,
    approvalId,
    effect,
    expiresAt,
    tier: tier as "low",
    ...(approversNeeded === undefined ? {} : { approversNeeded }),
  };
  await renewedSince(world, record, toolCallId);
  await askAgain(world, record.run.runId, toolCallId);
  await world.commit(record.run.runId, callHeld(await world.snapshot(record.run.runId), message, world.rules));
}

async function decided({ world, record }: Follower, event: Extract<NumberedRunEvent, { type: "call.decided" }>): Promise<void> {
  const { runId } = record.run;
  const { callId } = event;
  const earlier = record.events.filter(
    (one) => one.type === "call.decided" && one.callId === callId && one.sequence < event.sequence,
  ).length;
  await askAgain(world, runId, callId);
  const snapshot = await world.snapshot(runId);
  const call = callOf(snapshot, callId);
  if (!call) return;
  const recorded = record.calls.find((one) => one.callId === callId);
  const { decided: answer, grant, ledger } = decisionOf(event, recorded, call, earlier);
  const definition = record.tools.find(({ hash }) => hash === call.toolHash)?.definition ?? null;
  await world.commit(runId, callDecided(snapshot, answer, grant, world.rules, { ledger, definition }));
}

async function unserved(follower: Follower, event: Extract<NumberedRunEvent, { type: "call.unserved" }>): Promise<void> {
  const { world, record } = follower;
  const { runId } = record.run;
  const { callId, since } = event;
  // The agent may have found at the same time that the worker had recorded the outcome before it was gone.
  const next = record.events.find(({ sequence }) => sequence === event.sequence + 1);
  const recorded = record.calls.find((one) => one.callId === callId);
  const ended = next?.type === "call.resolved" && next.callId === callId && next.at === event.at ? recorded : undefined;
  const row = ended ? await doneRow(world, ended) : null;
  const look = async (seen: { readonly lastSeenAt: number; readonly leftAt?: number } | null, ledger: LedgerRow | null = null) =>
    world.commit(
      runId,
      redispatch(await world.snapshot(runId), callId, ledger, world.rules, { asked: false, unproven: false, forgetful: false, seen }),
    );
  const before = callOf(await world.snapshot(runId), callId);
  // A worker was there again in the meantime. No event says so.
  if (before?.unservedSince !== undefined) await look({ lastSeenAt: world.clock.now() });
  await look({ lastSeenAt: since, leftAt: since }, row);
  if (row) follower.came.set(callId, "taken");
}

type QuestionEvent = Extract<NumberedRunEvent, { type: "question.asked" | "question.ended" }>;

/** Lets the agent notice what the worker had stored of its questions by then. A question that ends with its call ends by itself. */
async function question(follower: Follower, event: QuestionEvent): Promise<void> {
  const { world, record } = follower;
  const recorded = record.calls.find(({ callId }) => callId === event.callId);
  const resolved = record.events.find((one) => one.type === "call.resolved" && one.callId === event.callId && one.at === event.at);
  if (event.type === "question.ended" && event.outcome === "cancelled" && resolved?.type === "call.resolved" && recorded) {
    const came = await resolveRecorded(world, resolved, recorded, record.run.activeMs);
    if (came) follower.came.set(event.callId, came);
    return;
  }
  const snapshot = await world.snapshot(record.run.runId);
  const call = callOf(snapshot, event.callId);
  if (!call) return;
  const questions = storedQuestions(record, recorded, event);
  await world.commit(record.run.runId, questions && questionsNoted({ ...snapshot, questions }, call, world.rules));
}

function storedQuestions({ events }: RunRecord, recorded: RecordedCall | undefined, until: QuestionEvent) {
  const said = events.filter(
    (one): one is QuestionEvent =>
      (one.type === "question.asked" || one.type === "question.ended") && one.callId === until.callId && one.sequence <= until.sequence,
  );
  const asked = said.flatMap((one) => (one.type === "question.asked" ? [one] : []));
  const [first] = asked;
  if (!first) return null;
  return {
    callId: until.callId,
    from: first.from,
    untrusted: first.untrusted,
    questions: asked.map(({ questionId, message, form, at, expiresAt }) => {
      const end = said.find((one) => one.type === "question.ended" && one.questionId === questionId);
      const ended = end?.type === "question.ended" ? { outcome: end.outcome, at: end.at, ...reasonOf(end) } : undefined;
      return { id: questionId, message, askedAt: at, expiresAt, ...(form ? { form } : {}), ...(ended ? { ended } : {}) };
    }),
  };
}

const reasonOf = ({ reason }: { readonly reason?: string }) => (reason === undefined ? {} : { reason });

/** Lets the run fail. The limits of the profile end it by themselves. What the model, a budget or the clock did comes from the log. */
async function fail(follower: Follower, event: Extract<NumberedRunEvent, { type: "run.failed" }>): Promise<void> {
  const { world, record } = follower;
  const { runId } = record.run;
  const { code, message, writes } = event;
  if (code === "profile_unknown") world.profile = null;
  // The log does not say when each step began, so the active time at the end comes from the run's document.
  if (code === "time_limit") {
    const { run } = await world.snapshot(runId);
    await putDocuments(world, runId, [[keys.run(runId), run.version, { ...run.value, activeMs: record.run.activeMs }]]);
  }
  const prefix = endedAfterWrites(writes, "");
  const reason = prefix !== "" && message.startsWith(prefix) ? message.slice(prefix.length) : message;
  if (DERIVED.has(code) || STOPPED.has(code)) await seedLastSummaries(world, record, event);
  if (DERIVED.has(code)) return step(follower, null);
  if (STOPPED.has(code)) return step(follower, { kind: "stopped", code, message: reason });
  return step(follower, { kind: "fails", provider: providerOf(record), code, message: reason, waitMs: null });
}

/** The ends that follow from the log by the profile's limits. */
const DERIVED: ReadonlySet<string> = new Set(["round_limit", "time_limit", "loop", "profile_unknown"]);
/** The ends whose reason is not in the log, such as what other runs had used of a budget. */
const STOPPED: ReadonlySet<string> = new Set([
  "budget_exhausted",
  "model_unpriced",
  "origin_unknown",
  "context_too_long",
  "poison_run",
  "step_failed",
]);

/** Returns the provider of the run's turns, for a model call that gave no turn. */
function providerOf({ events }: RunRecord): string {
  const turn = events.find((event) => event.type === "turn" && !event.seed);
  return turn?.type === "turn" ? turn.provider : "recorded";
}
