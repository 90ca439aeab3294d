import {
  type ConversationState,
  describeProblems,
  type InboxEntry,
  keys,
  type MessageEntry,
  parseConversationState,
  parseInboxEntry,
  type RunOrigin,
  shardOf,
} from "@toolbus/contracts";
import { type AnswerEntry, answerCall } from "../transitions/answer.ts";
import { cancelRun } from "../transitions/cancel.ts";
import { takeDeletion } from "./take-deletion.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { loadSnapshot, parsed } from "../documents/load.ts";
import { toolCancelMessage } from "../outgoing/messages.ts";
import type { Read } from "../transitions/rules.ts";
import { offeredFor } from "../direct-call/direct-call.ts";
import { startRun } from "../transitions/start.ts";
import type { HeldRun } from "../steps/advance.ts";
import { beginRun } from "./begin-run.ts";
import type { InboxReader } from "./inbox-reader.ts";

type CancelEntry = Extract<InboxEntry, { kind: "cancel" }>;

const TRIES = 20;

/**
 * What came of an entry: the run, if its start was taken with it. "not_started" means that the run of a cancel or an answer does not exist yet. The
 * wake of its message starts it, and until then the entry waits in the inbox.
 */
export type TakenEntry = HeldRun | "not_started" | null;

/**
 * Handles an entry that the gateway accepted. A message starts a run, a cancel ends one, and an answer resolves the call that asked. Handling an
 * entry twice changes nothing, because the documents of its run record that it was handled. If an entry is unusable, its run ends with the reason, or
 * the log contains the reason. Throws if the store keeps changing in the meantime. The bus then retries the delivery. If `by` claims the run and the
 * entry starts it now, returns the run, for whose step the caller is responsible.
 */
export async function takeEntry(reader: InboxReader, runId: string, entryId: string, by: string | null = null): Promise<TakenEntry> {
  const { state, log, strays } = reader;
  const { documents } = await state.read([keys.inbox(shardOf(runId), entryId), keys.run(runId)]);
  const [document, run] = documents;
  if (!document) {
    strays.tell({ runId, entryId }, "a wake named a missing inbox entry");
    return null;
  }
  const entry = parseInboxEntry(document.value);
  if (!entry.ok) {
    log.error({ runId, entryId, problems: describeProblems(entry.problems) }, "an inbox entry breaks its schema and is left alone");
    return null;
  }
  // The gateway links runs to people, so the agent ignores a wake that names another run than its entry.
  if (entry.value.runId !== runId) {
    strays.tell({ runId, entryId }, "a wake named another run's inbox entry");
    return null;
  }
  for (let attempt = 0; attempt < TRIES; attempt++) {
    // Most entries begin their run, which the first read shows.
    const isNew = attempt === 0 && !run;
    const taken = await takeOnce(reader, entry.value, { accepted: document.version, by, isNew });
    if (taken !== "again") return taken;
  }
  throw new Error(`The inbox entry ${entryId} could not be taken in ${TRIES} tries.`);
}

/** The end of one try: what was taken, or "again" if something changed in the meantime. */
type Tried = TakenEntry | "again";

const over = (isOver: boolean): Tried => (isOver ? null : "again");

interface Take {
  /** The number of the commit that accepted the entry. */
  readonly accepted: number;
  readonly by: string | null;
  /** Whether the run of the entry does not exist yet, as far as the caller knows. */
  readonly isNew: boolean;
}

async function takeOnce(reader: InboxReader, entry: InboxEntry, { accepted, by, isNew }: Take): Promise<Tried> {
  if (entry.kind === "delete") return over(await takeDeletion(reader, entry));
  const snapshot = isNew ? null : await loadSnapshot(reader.state, entry.runId);
  switch (entry.kind) {
    case "message":
      return snapshot === null ? takeMessage(reader, entry, accepted, by) : null;
    case "cancel":
      return snapshot === null ? "not_started" : over(await takeCancel(reader, entry, snapshot));
    case "answer":
      return snapshot === null ? "not_started" : over(await takeAnswer(reader, entry, snapshot));
  }
}

async function takeMessage(reader: InboxReader, entry: MessageEntry, accepted: number, by: string | null): Promise<Tried> {
  const { state, outbox, rules, toolOffers, modelOf } = reader;
  const profile = rules.profile(entry.profile);
  const { now, conversation, origin } = await readAsked(reader, entry);
  const about = `${entry.text}\n${JSON.stringify(entry.input)}`;
  const called = conversation?.value.called ?? [];
  const offer =
    profile && origin
      ? await toolOffers.offer(offeredFor(profile, entry.input), { now, rights: origin, model: modelOf(profile.name), about, called })
      : null;
  const activeRun = conversation?.value.activeRun;
  const active = entry.ifActive === "interrupt" && activeRun ? await loadSnapshot(state, activeRun) : null;
  // The run ended between the two reads, so the message must interrupt another run or none.
  if (active && active.conversation.value.activeRun !== activeRun) return "again";
  const started = startRun(
    {
      now: active?.now ?? now,
      entry,
      accepted,
      conversation: active?.conversation ?? conversation,
      rights: origin,
      profile,
      offer,
      interrupts: active ? { active, by: origin?.principal ?? "unknown" } : null,
    },
    rules,
  );
  const again = async (): Promise<void> => void (await takeEntry(reader, entry.runId, entry.entryId, null));
  const begun = by === null || active ? null : beginRun(reader, { entry, started, conversation, now, by, again });
  if (begun === null) {
    if ((await outbox.commit(shardOf(entry.runId), started)).outcome !== "ok") return "again";
    if (active && !active.run.value.cancel) await hintWorkers(reader, active);
    return null;
  }
  return (await begun) ?? "again";
}

async function takeCancel(reader: InboxReader, { runId, entryId, by }: CancelEntry, snapshot: Snapshot): Promise<boolean> {
  const change = cancelRun(snapshot, { entryId, by }, reader.rules);
  if (change === null) return true;
  if ((await reader.outbox.commit(shardOf(runId), change)).outcome !== "ok") return false;
  await hintWorkers(reader, snapshot);
  return true;
}

async function takeAnswer({ outbox, rules, log }: InboxReader, entry: AnswerEntry, snapshot: Snapshot): Promise<boolean> {
  const { runId, callId, entryId } = entry;
  const answered = answerCall(snapshot, entry, rules);
  switch (answered.kind) {
    case "join":
      return (await outbox.commit(shardOf(runId), answered.change)).outcome === "ok";
    case "duplicate":
      log.info({ callId, entryId }, "an answer to a call that has its result already is dropped");
      return true;
    case "not_asked":
      log.warn({ callId, entryId }, "an answer to a call that is not a question is dropped");
      return true;
  }
}

/** Notifies workers that nobody waits any more for the answers to their calls. The message is only a hint, because the committed stop decides. */
async function hintWorkers({ announce, rules, log }: InboxReader, { calls, now }: Snapshot): Promise<void> {
  for (const { value } of calls) {
    if (value.state !== "dispatched") continue;
    await announce(toolCancelMessage(value, rules, now)).catch((error: unknown) =>
      log.warn({ error, callId: value.callId }, "a hint to cancel was not sent"),
    );
  }
}

interface Asked {
  readonly now: number;
  readonly conversation: Read<ConversationState> | null;
  /** The sender of the message, as the gateway signed it. Null if the sender is unknown. */
  readonly origin: RunOrigin | null;
}

/** Reads the documents that a message changes, and its sender. Throws `OriginUndecided`. */
async function readAsked(reader: InboxReader, { conversationId, runId }: MessageEntry): Promise<Asked> {
  const key = keys.conversation(conversationId);
  const [{ now, documents }, origin] = await Promise.all([reader.state.read([key]), reader.origins.of(runId)]);
  return { now, conversation: parsed(documents[0], parseConversationState, key), origin };
}
