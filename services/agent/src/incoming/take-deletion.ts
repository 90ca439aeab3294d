import {
  type ConversationState,
  type InboxEntry,
  isJsonObject,
  type Json,
  keys,
  parseConversationState,
  shardOf,
} from "@toolbus/contracts";
import type { Change, StateStore } from "@toolbus/state";
import { LOG_KEPT_MS } from "../transitions/pending-change.ts";
import { parsed } from "../documents/load.ts";
import type { InboxReader } from "./inbox-reader.ts";
import type { Read } from "../transitions/rules.ts";

export type DeletionEntry = Extract<InboxEntry, { kind: "delete" }>;

/** The most documents that one commit removes. The size of a commit is limited. */
const REMOVED_AT_ONCE = 100;
const READ_AT_ONCE = 500;

/**
 * Removes the messages of a conversation that its owner deleted. Does nothing while a run is active or waits, because the gateway sends the entry
 * again until the conversation is marked. Handling the entry twice changes nothing. Returns false if the conversation changed in the meantime.
 */
export async function takeDeletion(
  { state, outbox, log }: Pick<InboxReader, "state" | "outbox" | "log">,
  { conversationId, entryId }: DeletionEntry,
): Promise<boolean> {
  const key = keys.conversation(conversationId);
  const { now, documents } = await state.read([key]);
  const conversation = parsed(documents[0], parseConversationState, key);
  if (!conversation || conversation.value.deletedAt !== undefined) return true;
  const { activeRun, queue, workingMemory } = conversation.value;
  if (activeRun !== null || queue.length > 0) {
    log.info({ conversationId, entryId, runId: activeRun }, "a conversation is deleted when its run has ended");
    return true;
  }
  const shard = shardOf(conversationId);
  for (const removal of workingMemory ? await workingMemoryOf(state, conversation) : [])
    if ((await outbox.commit(shard, removal)).outcome !== "ok") return false;
  return (await outbox.commit(shard, deletion(conversation, now))).outcome === "ok";
}

/**
 * Returns the change that replaces the messages of a conversation with a mark. The conversation's runs stay until they expire, because they record
 * what was done and for whom.
 */
export function deletion({ version, value }: Read<ConversationState>, now: number): Change {
  const { conversationId, runs, usage } = value;
  const marked: ConversationState = { conversationId, activeRun: null, queue: [], runs, usage, model: null, deletedAt: now };
  return {
    op: `delete:${conversationId}`,
    guards: [{ key: keys.conversation(conversationId), version }],
    put: [{ key: keys.conversation(conversationId), value: marked, expiresAt: now + LOG_KEPT_MS }],
    remove: [keys.context(conversationId)],
    // The store deletes a log when it expires.
    append: [{ log: keys.transcript(conversationId), entries: [{ type: "deleted", at: now }], expiresAt: now }],
  };
}

/**
 * Returns the changes that remove the long results that the transcript names. These changes leave the conversation unchanged, so each may be
 * repeated.
 */
async function workingMemoryOf(state: Pick<StateStore, "range">, { version, value }: Read<ConversationState>): Promise<readonly Change[]> {
  const { conversationId } = value;
  const found: string[] = [];
  for (let after = 0; ;) {
    const entries = await state.range(keys.transcript(conversationId), { after, limit: READ_AT_ONCE });
    for (const entry of entries) found.push(...indexKeyIn(entry.value).map((indexKey) => keys.working(conversationId, indexKey)));
    const last = entries.at(-1);
    if (last === undefined) break;
    after = last.sequence;
  }
  const guards = [{ key: keys.conversation(conversationId), version }];
  return Array.from({ length: Math.ceil(found.length / REMOVED_AT_ONCE) }, (_, n) => ({
    op: `delete:${conversationId}:working:${n}`,
    guards,
    remove: found.slice(n * REMOVED_AT_ONCE, (n + 1) * REMOVED_AT_ONCE),
  }));
}

function indexKeyIn(entry: Json): readonly string[] {
  const indexKey = isJsonObject(entry) ? entry["indexKey"] : undefined;
  return typeof indexKey === "string" ? [indexKey] : [];
}
