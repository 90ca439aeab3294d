import {
  type ConversationState,
  describeProblems,
  type InboxEntry,
  keys,
  type Message,
  parseConversationState,
  parseInboxEntry,
  shardOf,
} from "@toolbus/contracts";
import { readRegistry } from "@toolbus/tool-kit";
import { cancelRun } from "./cancel.ts";
import type { Snapshot } from "./draft.ts";
import { loadSnapshot, parsed } from "./load.ts";
import { toolCancelMessage } from "./messages.ts";
import type { Read } from "./rules.ts";
import { startRun } from "./start.ts";
import type { Stepper } from "./advance.ts";

export interface InboxReader extends Stepper {
  readonly disabledTools: ReadonlySet<string>;
  /** Best effort, to whoever listens. */
  readonly announce: (message: Message) => Promise<void>;
}

const TRIES = 20;

/**
 * Takes what the gateway accepted: a message starts a run, a cancel ends one. Taking an entry twice changes nothing, because its run document
 * records it. Throws when the store keeps moving under it; the delivery is then retried.
 */
export async function takeEntry(reader: InboxReader, runId: string, entryId: string): Promise<void> {
  const { state, log } = reader;
  const { documents } = await state.read([keys.inbox(shardOf(runId), entryId)]);
  const [document] = documents;
  if (!document) return log.warn({ runId, entryId }, "a wake named an inbox entry that is not there");
  const entry = parseInboxEntry(document.value);
  if (!entry.ok)
    return log.error({ runId, entryId, problems: describeProblems(entry.problems) }, "an inbox entry breaks its schema and is left alone");
  // The link from run to person is the gateway's; a wake that names another run than its entry is not followed.
  if (entry.value.runId !== runId) return log.warn({ runId, entryId }, "a wake named another run's inbox entry");
  for (let attempt = 0; attempt < TRIES; attempt++) if (await takeOnce(reader, entry.value)) return;
  throw new Error(`The inbox entry ${entryId} could not be taken in ${TRIES} tries.`);
}

async function takeOnce(reader: InboxReader, entry: InboxEntry): Promise<boolean> {
  const { state, outbox, rules } = reader;
  const snapshot = await loadSnapshot(state, entry.runId);
  if (entry.kind === "cancel") {
    // Accepted before its run was started: the message's own wake starts it, and the gateway's timer brings this entry again.
    if (!snapshot) return true;
    const change = cancelRun(snapshot, { entryId: entry.entryId, by: entry.by }, rules);
    if (change === null) return true;
    if ((await outbox.commit(shardOf(entry.runId), change)).outcome !== "ok") return false;
    await hintWorkers(reader, snapshot);
    return true;
  }
  if (snapshot) return true;
  const profile = rules.profile(entry.profile);
  if (!profile) throw new Error(`The profile "${entry.profile}" is not known to this agent.`);
  const registrations = (await readRegistry(state)).filter(({ definition }) => !reader.disabledTools.has(definition.name));
  const conversation = await readConversation(reader, entry.conversationId);
  const change = startRun({ now: conversation.now, entry, conversation: conversation.document, profile, registrations }, rules);
  return (await outbox.commit(shardOf(entry.runId), change)).outcome === "ok";
}

/** Tells the workers of sent calls that nobody waits any more. Only a hint: the stop that was committed is what holds. */
async function hintWorkers({ announce, rules, log }: InboxReader, { calls, now }: Snapshot): Promise<void> {
  for (const { value } of calls) {
    if (value.state !== "dispatched") continue;
    await announce(toolCancelMessage(value, rules, now)).catch((error: unknown) =>
      log.warn({ error, callId: value.callId }, "a hint to cancel was not sent"),
    );
  }
}

async function readConversation(
  { state }: Stepper,
  conversationId: string,
): Promise<{ now: number; document: Read<ConversationState> | null }> {
  const key = keys.conversation(conversationId);
  const { now, documents } = await state.read([key]);
  return { now, document: parsed(documents[0], parseConversationState, key) };
}
