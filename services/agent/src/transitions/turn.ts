import type { EventCall } from "@toolbus/contracts";
import { argumentsHash } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { addUsage } from "../usage.ts";
import { beginningOf } from "./begin-loop-tool.ts";
import { boundedText } from "./bounded-text.ts";
import { withCalled, withModel } from "./conversation.ts";
import { dispatch } from "./dispatch-call.ts";
import { Draft } from "./draft.ts";
import { endCall } from "./end-call.ts";
import { endRun } from "./end-run.ts";
import { finishRound } from "./finish-round.ts";
import { holds } from "./holds.ts";
import { resolveCall } from "./resolve-call.ts";
import { withoutFailures } from "./model-retry.ts";
import { type Planned, plannedCalls } from "./planned-calls.ts";
import { requestGrant } from "./request-grant.ts";
import type { Rules } from "./rules.ts";
import type { Turn, TurnInput } from "./turn-input.ts";

/**
 * Commits a turn as a whole: the transcript, one document per call, the invokes of reads and the requests for writes. A turn without calls ends the
 * run, unless the vendor has paused it. Returns null if this epoch no longer holds the run. The model's turn is then discarded, or was already
 * committed.
 */
export function commitTurn(input: TurnInput, rules: Rules): Change | null {
  const { snapshot, epoch, turn: said, tools, recalled } = input;
  const before = snapshot.run.value;
  if (!holds(epoch, before)) return null;
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  const { now } = draft;
  const turn: Turn = { ...said, text: boundedText(said.text) };
  const planned = plannedCalls(turn, draft, tools, input);
  draft.run = withoutFailures(draft.run);
  draft.setRun({
    round: before.round + 1,
    attempts: 0,
    lease: null,
    status: "waiting",
    activeMs: before.activeMs + Math.max(0, now - before.stepStartedAt),
    stepStartedAt: now,
    pending: planned.length,
    calls: planned.map(({ call }) => ({ callId: call.callId, write: call.kind === "write", resolved: false })),
    repeats: repeatsAfter(before.repeats, turn),
    // Each call is counted when it is resolved.
    usage: addUsage(before.usage, { ...turn.usage, modelCalls: turn.seed ? 0 : 1, toolCalls: 0 }),
  });
  recordTurn(draft, turn, planned, before.round);
  if (!turn.seed) {
    draft.conversation = withModel(draft.conversation, { provider: turn.provider, model: turn.model });
    const own = new Set(draft.run.tools.map(({ name }) => name));
    // A tool that the model called by its name need not be among the offered ones.
    const names = planned.flatMap(({ call: { toolName, via } }) => (own.has(toolName) || via !== undefined ? [toolName] : []));
    draft.conversation = withCalled(draft.conversation, names);
  }
  if (planned.length === 0 && turn.paused === true) finishRound(draft);
  else if (planned.length === 0) endWith(draft, turn);
  else {
    // The timer is due when the active time is used up. A read without a worker must not keep the run open for ever.
    draft.runTimer(Math.max(1000, (draft.profile?.limits.activeMs ?? 60_000) - draft.run.activeMs));
    for (const { call } of planned) draft.addCall(call);
    for (const { call, result } of planned) {
      // A registered tool may have the name of one of the loop's own tools.
      const begin = call.via === undefined ? beginningOf(tools.get(call.toolName)) : undefined;
      // A refused write before this call has already ended it as skipped.
      if (draft.calls.get(call.callId)?.state === "resolved") continue;
      if (result?.error?.code === "policy_denied") resolveCall(draft, call, result);
      else if (result) endCall(draft, call, result);
      else if (begin) begin(draft, call, recalled?.get(call.index));
      else if (call.kind === "write") requestGrant(draft, call);
      else dispatch(draft, call);
    }
    finishRound(draft);
  }
  return draft.build(`turn:${before.runId}:${before.round}.${epoch}`);
}

function recordTurn(draft: Draft, turn: Turn, planned: readonly Planned[], round: number): void {
  const calls: EventCall[] = planned.map(({ call, unusable }) => ({
    callId: call.callId,
    transcriptId: call.transcriptId,
    tool: call.toolName,
    kind: call.toolHash ? call.kind : "unknown",
    arguments: unusable ?? call.arguments,
    ...(call.via === undefined ? {} : { via: call.via }),
  }));
  const { provider, model, text, seed, vendor, pruned } = turn;
  draft.transcript({
    type: "assistant",
    runId: draft.run.runId,
    round,
    text,
    // The model must find its own words in the transcript, as in the vendor's payload of the turn.
    calls: planned.map(({ call, said, unusable }) => ({
      id: call.transcriptId,
      callId: call.callId,
      name: said?.name ?? call.toolName,
      arguments: said?.arguments ?? unusable ?? call.arguments,
      ...(said ? { tool: call.toolName } : {}),
    })),
    at: draft.now,
    provider,
    model,
    ...(vendor ? { vendor } : {}),
  });
  const { usage } = draft.run;
  draft.event({ type: "turn", at: draft.now, round, seed, provider, model, text, calls, ...(pruned ? { pruned } : {}), usage });
}

function endWith(draft: Draft, turn: Turn): void {
  const { report, usage } = draft.run;
  endRun(draft, { type: "run.completed", at: draft.now, text: turn.text, truncated: turn.truncated, report, usage }, "done", {
    text: turn.text,
    truncated: turn.truncated,
  });
}

/** Counts how often in a row the model asked for exactly the same calls. */
function repeatsAfter(before: { key: string; count: number }, turn: Turn): { key: string; count: number } {
  const key = turn.calls.length === 0 ? "" : argumentsHash(JSON.stringify(turn.calls.map((call) => [call.name, call.arguments])));
  return key !== "" && key === before.key ? { key, count: before.count + 1 } : { key, count: 1 };
}
