import { type Call, failedResult, isRunEnd, type RecordedCall, type RunEnd, type RunRecord, type StoredEntry } from "@toolbus/contracts";
import { canonicalJson, parseStrictJson } from "@toolbus/grants";
import type { ModelProvider } from "@toolbus/models";
import type { Profile } from "../profile.ts";
import { advanceRun } from "../steps/advance.ts";
import type { ToolOffer } from "../tool-offer.ts";
import { answerCall } from "../transitions/answer.ts";
import { callDecided, callHeld } from "../transitions/decided.ts";
import { joinResult } from "../transitions/join.ts";
import { type AskedTurn, askedModel, NotInLog } from "./asked-model.ts";
import { beginRun } from "./begin-run.ts";
import { fillWorld, resultOf, shownOf } from "./fill-world.ts";
import { findRecorded } from "./find-recorded.ts";
import { decisionOf } from "./recorded-decision.ts";
import { recordedSettings } from "./recorded-settings.ts";
import { replyOf } from "./recorded-turns.ts";
import { replayClock } from "./replay-clock.ts";
import { type ReplayWorld, replayWorld } from "./replay-world.ts";

/** One turn of a run that was played with something else than it had. */
export interface FreeTurn {
  readonly round: number;
  readonly text: string;
  /** The calls as the model made them. */
  readonly calls: readonly { readonly tool: string; readonly arguments: string; readonly recorded: boolean }[];
  /** What the model was asked. Null for a seed turn. */
  readonly asked: AskedTurn["request"] | null;
}

export interface FreeRun {
  readonly turns: readonly FreeTurn[];
  /** The end of the run. Null if the log has no turn for the next round. */
  readonly end: RunEnd | null;
}

export interface FreeRunOptions {
  readonly record: RunRecord;
  readonly profile: Profile | null;
  readonly offer: ToolOffer;
  /** Asked in place of the log. Absent means that the turns come from the log. */
  readonly live?: ModelProvider;
  readonly signal: AbortSignal;
}

/**
 * Plays a run with another profile, other tools or another model. The turns of the model come from the log, or from the model. A call that equals a
 * recorded one gets the recorded decision and result. Any other call ends as `not_recorded`, so nothing is read or written.
 */
export async function freeRun({ record, profile, offer, live, signal }: FreeRunOptions): Promise<FreeRun> {
  const model = askedModel(live);
  const world = replayWorld({
    clock: replayClock(record.run.createdAt),
    profile,
    model,
    settings: { ...recordedSettings(record), ...(live ? { MODEL_ATTEMPTS: 1 } : {}) },
    find: findRecorded(record),
  });
  const { runId, conversationId } = record.run;
  await fillWorld(world, record);
  await beginRun(world, { ...record, events: record.events.filter(({ type }) => type === "run.started").slice(0, 1) }, offer);
  const recorded = recordedCalls(record);
  for (;;) {
    signal.throwIfAborted();
    const { run, calls } = await world.snapshot(runId);
    if (run.value.endedAt !== null) break;
    if (run.value.status === "ready") {
      if (!(await nextTurn(run.value.round))) break;
    } else if (
      !(await answerNext(
        world,
        calls.map(({ value }) => value),
        { record, recorded },
      ))
    )
      break;
  }
  const entries = (await world.transcript(conversationId)).filter((entry) => entry.runId === runId);
  const events = await world.events(runId);
  await world.state.close();
  return { turns: turnsOf(entries, model.asked, recorded), end: events.find(isRunEnd) ?? null };

  async function nextTurn(round: number): Promise<boolean> {
    const turn = record.events.find((event) => event.type === "turn" && event.round === round);
    if (turn) world.clock.set(turn.at);
    model.expect(turn?.type === "turn" && !turn.seed && !live ? replyOf(record, turn) : null);
    try {
      await advanceRun(world.stepper, runId, { by: "replay", redelivered: true }, signal);
      return true;
    } catch (error) {
      // The log has no turn for this round.
      if (error instanceof NotInLog) return false;
      throw error;
    }
  }
}

/** The recorded calls, each of which answers an equal call once before it answers a second one. */
interface RecordedCalls {
  /** Returns the same one for the same call, because a call is looked at several times before it has its result. */
  take(call: Pick<Call, "callId" | "toolName" | "arguments">): RecordedCall | null;
  has(tool: string, args: string): boolean;
}

function recordedCalls({ calls }: RunRecord): RecordedCalls {
  const used = new Set<string>();
  const matched = new Map<string, RecordedCall>();
  const keyOf = (tool: string, args: string): string => `${tool} ${canonicalText(args)}`;
  const equal = (tool: string, args: string): readonly RecordedCall[] =>
    calls.filter((one) => one.result && keyOf(one.toolName, one.asked?.arguments ?? one.arguments) === keyOf(tool, args));
  return {
    take({ callId: mine, toolName, arguments: args }) {
      const before = matched.get(mine);
      if (before) return before;
      const found = equal(toolName, args);
      const call = found.find(({ callId }) => !used.has(callId)) ?? found.at(-1) ?? null;
      if (call) {
        used.add(call.callId);
        matched.set(mine, call);
      }
      return call;
    },
    has: (tool, args) => equal(tool, args).length > 0,
  };
}

function canonicalText(args: string): string {
  const parsed = parseStrictJson(args === "" ? "{}" : args);
  return parsed.ok ? canonicalJson(parsed.value) : args;
}

/** Answers the first open call that can be answered. Returns false if no call can be. */
async function answerNext(
  world: ReplayWorld,
  calls: readonly Call[],
  { record, recorded }: { readonly record: RunRecord; readonly recorded: RecordedCalls },
): Promise<boolean> {
  const call =
    calls.find(({ state }) => state === "requested" || state === "held") ??
    calls.find(({ state }) => state === "dispatched" || state === "asked");
  if (!call) return false;
  const { runId } = call;
  const same = recorded.take(call);
  const snapshot = await world.snapshot(runId);
  if (same && (call.state === "requested" || call.state === "held")) {
    const decision = record.events.findLast((event) => event.type === "call.decided" && event.callId === same.callId);
    const held = record.events.find((event) => event.type === "call.held" && event.callId === same.callId);
    if (call.state === "requested" && held?.type === "call.held") {
      const { approvalId, tier, effect, expiresAt } = held;
      return world.commit(
        runId,
        callHeld(snapshot, { toolCallId: call.callId, approvalId, tier: tier as "low", effect, expiresAt }, world.rules),
      );
    }
    if (decision?.type === "call.decided") {
      const { decided, grant } = decisionOf({ ...decision, callId: call.callId }, same, call, 0);
      const definition = record.tools.find(({ hash }) => hash === call.toolHash)?.definition ?? null;
      // The grant of the log may be over by the time of the replay.
      const { grantExpiresAt: _, executeBy: __, ...rest } = decided;
      const change = callDecided(snapshot, rest, grant, world.rules, { definition });
      if (change) return world.commit(runId, change);
    }
  }
  if (same && call.state === "asked" && same.result?.status === "ok") {
    const { answer } = JSON.parse(same.result.content) as { readonly answer?: unknown };
    const entry = {
      kind: "answer" as const,
      entryId: "replay",
      runId,
      callId: call.callId,
      agent: "replay",
      by: "replay",
      text: String(answer),
      acceptedAt: 1,
    };
    const answered = answerCall(snapshot, entry, world.rules);
    return world.commit(runId, answered.kind === "join" ? answered.change : null);
  }
  const result = (same && (await resultOf(world, same))) ?? notRecorded(call);
  const shown = same && (await shownOf(world, same));
  const joined = joinResult(
    { ...snapshot, ...(shown ? { shown: new Map([[call.callId, shown]]) } : {}) },
    { callId: call.callId, secretHash: null, result },
    world.rules,
  );
  return world.commit(runId, joined.kind === "join" ? joined.change : null);
}

function notRecorded({ toolName }: Call) {
  return failedResult("not_recorded", `No call of "${toolName}" with these arguments was recorded, so it was not made.`);
}

function turnsOf(entries: readonly StoredEntry[], asked: readonly AskedTurn[], recorded: RecordedCalls): readonly FreeTurn[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "assistant" || (entry.provider === "toolbus" && entry.model !== "seed" && entry.model !== "direct-call")) return [];
    return [
      {
        round: entry.round,
        text: entry.text,
        calls: entry.calls.map(({ name, arguments: args }) => ({ tool: name, arguments: args, recorded: recorded.has(name, args) })),
        asked: asked.findLast(({ round }) => round === entry.round)?.request ?? null,
      },
    ];
  });
}
