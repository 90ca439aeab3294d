import type { NumberedRunEvent, RecordedCall, RunRecord, TranscriptEntry, Usage } from "@toolbus/contracts";
import type { ModelCall, ModelReply, ModelUsage, StopReason } from "@toolbus/models";
import { CALLS_PER_TURN } from "../profile.ts";
import type { NextReply } from "./asked-model.ts";

type TurnEvent = Extract<NumberedRunEvent, { type: "turn" }>;

/** Returns the reply of the model that this event of the log came from. */
export function replyOf(record: RunRecord, turn: TurnEvent): Extract<NextReply, { kind: "reply" }> {
  const entry = record.transcript.find(
    ({ entry: one }) => one.type === "assistant" && one.runId === record.run.runId && one.round === turn.round && one.at === turn.at,
  )?.entry;
  const said = entry?.type === "assistant" ? entry : null;
  const its = record.calls.filter(({ round }) => round === turn.round);
  const calls = callsOf(said, its);
  const next = record.events.find(({ sequence }) => sequence > turn.sequence);
  const reply: ModelReply = {
    text: said?.text ?? turn.text,
    calls,
    stop: stopOf(calls, next),
    usage: usageOf(record, turn),
    model: turn.model,
    ...(said?.vendor ? { vendor: said.vendor } : {}),
  };
  const over = its.find(({ result }) => result?.error?.code === "limit" && result.error.message.startsWith("A budget of tool calls"));
  return { kind: "reply", provider: turn.provider, reply, allowedCalls: over?.index ?? calls.length };
}

function callsOf(said: Extract<TranscriptEntry, { type: "assistant" }> | null, its: readonly RecordedCall[]): ModelCall[] {
  const calls = (said?.calls ?? []).map(({ id, callId, name, arguments: args }) => {
    const call = its.find((one) => one.callId === callId);
    return { id, name, arguments: (call?.via === undefined ? call?.written : undefined) ?? args };
  });
  // Of a turn with too many calls, the log has the first ones. The results of these say how many there were.
  const asked = Number(TOO_MANY.exec(its[0]?.result?.error?.message ?? "")?.[1] ?? calls.length);
  return [
    ...calls,
    ...Array.from({ length: Math.max(0, asked - calls.length) }, (_, n) => ({ id: `more-${n}`, name: "more", arguments: "{}" })),
  ];
}

const TOO_MANY = new RegExp(`^A turn may hold ${CALLS_PER_TURN} calls; this one had (\\d+),`);

function stopOf(calls: readonly ModelCall[], next: NumberedRunEvent | undefined): StopReason {
  if (calls.length > 0) return "tool_use";
  if (next?.type !== "run.completed") return "pause";
  return next.truncated ? "max_tokens" : "end_turn";
}

/**
 * Returns how many calls of unknown price came before the call of this turn, since the event before. They wrote summaries of the conversation, and no
 * event of their own says so.
 */
export function unpricedSummaries(record: RunRecord, turn: TurnEvent): number {
  return Math.max(0, addedBy(record, turn)("unpricedCalls") - 1);
}

/** Returns what a run has used by its end and not yet here. Calls that wrote summaries used it, and no event says so. */
export function usedBySummaries({ usage }: EndEvent, now: Usage): Partial<Usage> {
  const added = (name: keyof Usage): number => (usage[name] ?? 0) - (now[name] ?? 0);
  return Object.fromEntries(SUMMED.flatMap((name) => (added(name) > 0 ? [[name, added(name)]] : [])));
}

export type EndEvent = Extract<NumberedRunEvent, { type: "run.cancelled" | "run.failed" }>;

/** The figures that the usage of a summary has. The number of calls is that of the run's own turns. */
const SUMMED = [
  "inputTokens",
  "outputTokens",
  "cacheReadTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "costMicroUsd",
  "unpricedCalls",
] as const;

function addedBy({ events }: RunRecord, turn: TurnEvent): (name: keyof Usage) => number {
  const before = events.findLast((event) => event.sequence < turn.sequence && "usage" in event);
  const earlier: Partial<Usage> = before && "usage" in before ? before.usage : {};
  return (name) => (turn.usage[name] ?? 0) - (earlier[name] ?? 0);
}

/** Returns what this turn added to the run's usage. The events have the sums, which the replay makes again. */
function usageOf(record: RunRecord, turn: TurnEvent): ModelUsage {
  const added = addedBy(record, turn);
  const given = (name: "cacheReadTokens" | "cacheWriteTokens" | "reasoningTokens") => (added(name) > 0 ? { [name]: added(name) } : {});
  return {
    inputTokens: added("inputTokens"),
    outputTokens: added("outputTokens"),
    ...given("cacheReadTokens"),
    ...given("cacheWriteTokens"),
    ...given("reasoningTokens"),
    // Without a price, the agent counts the call as one of unknown price.
    ...(added("unpricedCalls") > 0 ? {} : { costMicroUsd: added("costMicroUsd") }),
  };
}
