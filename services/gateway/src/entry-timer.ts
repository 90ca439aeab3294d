import {
  type InboxEntry,
  type Json,
  keys,
  parseCall,
  parseConversationState,
  parseInboxEntry,
  parseRun,
  shardOf,
} from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore, TimerRow } from "@toolbus/state";
import { announced } from "./accept.ts";
import { answeredCall, conversationOfDeletion } from "./entry-ids.ts";
import { type GatewayConfig, GATEWAY_SERVICE } from "./settings.ts";

/** Repeats the wake of an accepted entry until a document of the agent shows that the agent has taken the entry. Then it removes the timer. */
export async function onEntryTimer(state: StateStore, outbox: Outbox, config: GatewayConfig, timer: TimerRow): Promise<void> {
  const entryId = timer.id.slice("entry:".length);
  const inboxKey = keys.inbox(timer.shard, entryId);
  const callId = answeredCall(entryId);
  const { now, documents } = await state.read([inboxKey, aboutKey(entryId), ...(callId === null ? [] : [keys.call(callId)])]);
  const [inbox, about, call] = documents;
  const entry = inbox && parseInboxEntry(inbox.value);
  const guards = [{ key: inboxKey, version: inbox?.version ?? 0 }];
  if (!inbox || !entry?.ok || taken(entry.value, about?.value, call?.value)) {
    await state.commit(timer.shard, { op: `taken:${entryId}`, guards, timers: [{ service: GATEWAY_SERVICE, id: timer.id, dueIn: null }] });
    return;
  }
  // `now` distinguishes the repeats, so that no broker treats this wake as a duplicate.
  await outbox.commit(shardOf(entry.value.runId), { op: `again:${entryId}:${now}`, guards, ...announced(entry.value, now, config, now) });
}

/** Returns the key of the agent's document that an entry changes. An entry's id begins with that document's id. */
function aboutKey(entryId: string): string {
  const [id = entryId] = entryId.split("!");
  return id === conversationOfDeletion(entryId) ? keys.conversation(id) : keys.run(id);
}

function taken(entry: InboxEntry, run: Json | undefined, call: Json | undefined): boolean {
  if (entry.kind === "message") return run !== undefined;
  if (entry.kind === "delete") {
    const conversation = parseConversationState(run);
    return !conversation.ok || conversation.value.deletedAt !== undefined;
  }
  const parsed = parseRun(run);
  const ended = parsed.ok && parsed.value.endedAt !== null;
  if (entry.kind === "cancel") return ended || (parsed.ok && parsed.value.cancel !== null);
  // The answer was accepted while the call was open. If the call is no longer open, it has its result, from this answer or from something earlier.
  const asked = parseCall(call);
  return ended || call === undefined || (asked.ok && asked.value.state !== "asked");
}
