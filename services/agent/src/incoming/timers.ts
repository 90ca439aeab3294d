import { callParts, keys, shardOf } from "@toolbus/contracts";
import type { TimerRow } from "@toolbus/state";
import { advanceRun } from "../steps/advance.ts";
import { rowArrived } from "./arrived.ts";
import type { InboxReader } from "./inbox-reader.ts";
import { seenLedger } from "./seen-ledger.ts";
import { withQuestions } from "./seen-questions.ts";
import { loadSnapshot } from "../documents/load.ts";
import { followCall } from "./follow-call.ts";
import { onCall } from "./on-call.ts";
import { redispatch } from "../transitions/redispatch.ts";
import { AGENT_SERVICE } from "../transitions/rules.ts";
import { checkWaiting } from "../transitions/waiting.ts";
import { workersSeen } from "./workers-seen.ts";

/** Handles a due timer of the agent. Every open run and call has a timer, so the timer makes up for any lost message. */
export async function onTimer(reader: InboxReader, timer: TimerRow, signal: AbortSignal): Promise<void> {
  const [kind, id] = split(timer.id);
  if (kind === "run") return onRunTimer(reader, timer, id, signal);
  if (kind === "call") return onCallTimer(reader, timer, id);
  reader.log.error({ timer: timer.id }, "a timer of an unknown kind is removed");
  await remove(reader, timer);
}

async function onRunTimer(reader: InboxReader, timer: TimerRow, runId: string, signal: AbortSignal): Promise<void> {
  const { state, outbox, rules } = reader;
  const snapshot = await loadSnapshot(state, runId);
  if (!snapshot || snapshot.run.value.endedAt !== null) return remove(reader, timer);
  const { status } = snapshot.run.value;
  if (status === "ready") {
    const advanced = advanceRun(reader, runId, { by: `timer:${timer.id}`, redelivered: false }, signal);
    // A process that stops need not say that it waited for a place. The timer is due again.
    await advanced.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
  if (status === "waiting") {
    const sent = snapshot.calls.map(({ value }) => value).filter((call) => call.state === "dispatched");
    const seen = await workersSeen(state, sent);
    await outbox.commit(shardOf(runId), checkWaiting(snapshot, rules, seen));
  }
  // A queued run needs no work. When the agent claimed the run's timer, it set the timer again. The end of the run before it starts the queued run.
}

async function onCallTimer(reader: InboxReader, timer: TimerRow, callId: string): Promise<void> {
  const { state, rules } = reader;
  const snapshot = await loadSnapshot(state, callParts(callId).runId);
  const call = snapshot?.calls.find((known) => known.value.callId === callId)?.value;
  if (!call || call.state === "resolved") {
    // Only a call with an unknown outcome keeps its timer, because the ledger may still show what happened.
    if (!(await followCall(reader, callId))) await remove(reader, timer);
    return;
  }
  // This process makes the call itself just now. The claim has set the timer again, in case that ends without an answer.
  if (call.kind !== "write" && reader.isHere(callId)) return;
  const seen = await workersSeen(state, call.state === "dispatched" ? [call] : []);
  await onCall(reader, callId, async (latest) => {
    const now = await withQuestions(reader, latest, callId);
    const ledger = await seenLedger(reader, now, callId);
    const { snapshot: from, arrived } = await rowArrived(reader, now, callId, ledger.row);
    return redispatch(from, callId, arrived, rules, { ...ledger, asked: false, seen: seen(callId) });
  });
}

/** Removes a timer whose object is gone or has ended. */
async function remove({ state }: InboxReader, timer: TimerRow): Promise<void> {
  const [kind, id] = split(timer.id);
  const key = kind === "call" ? keys.call(id) : keys.run(id);
  const { documents } = await state.read([key]);
  const version = documents[0]?.version ?? 0;
  await state.commit(timer.shard, {
    op: `untime:${timer.id}`,
    guards: [{ key, version }],
    timers: [{ service: AGENT_SERVICE, id: timer.id, dueIn: null }],
  });
}

function split(timerId: string): [string, string] {
  const at = timerId.indexOf(":");
  return [timerId.slice(0, at), timerId.slice(at + 1)];
}
