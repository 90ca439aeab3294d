import { type InboxEntry, type Json, keys, parseCall, parseConversationState, parseInboxEntry, parseRun } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore, TimerRow } from "@toolbus/state";
import { repeating, wakeFor } from "./accept.ts";
import { answeredCall, conversationOfDeletion } from "./entry-ids.ts";
import { type GatewayConfig, GATEWAY_SERVICE } from "./settings.ts";

/**
 * Repeats the wake of an accepted entry until a document of the agent shows that the agent has taken the entry. Then it removes the timer. Timers that
 * are handed over in the same turn share one read and one commit for each shard.
 */
export function entryTimers(state: StateStore, outbox: Outbox, config: GatewayConfig): (timer: TimerRow) => Promise<void> {
  const gathered = new Map<string, { readonly entryIds: string[]; readonly handled: Promise<void> }>();
  return ({ shard, id }) => {
    const entryId = id.slice("entry:".length);
    const before = gathered.get(shard);
    if (before) {
      before.entryIds.push(entryId);
      return before.handled;
    }
    const entryIds = [entryId];
    const handled = Promise.resolve().then(async () => {
      gathered.delete(shard);
      await onEntries(shard, entryIds);
    });
    gathered.set(shard, { entryIds, handled });
    return handled;
  };

  async function onEntries(shard: string, entryIds: readonly string[]): Promise<void> {
    const names = entryIds.flatMap((entryId) => keysOf(shard, entryId));
    const { now, documents } = await state.read(names);
    const byKey = new Map(names.map((name, n) => [name, documents[n]]));
    const found = entryIds.map((entryId) => {
      const [inbox, about, call] = keysOf(shard, entryId).map((name) => byKey.get(name));
      const entry = inbox && parseInboxEntry(inbox.value);
      const guard = { key: keys.inbox(shard, entryId), version: inbox?.version ?? 0 };
      return { entryId, guard, waiting: entry?.ok && !taken(entry.value, about?.value, call?.value) ? entry.value : null };
    });
    const done = found.filter(({ waiting }) => waiting === null);
    const again = found.flatMap(({ waiting, ...one }) => (waiting ? [{ ...one, waiting }] : []));
    await Promise.all([
      done.length > 0 &&
        state.commit(shard, {
          op: `taken:${done.map(({ entryId }) => entryId).join(" ")}`,
          guards: done.map(({ guard }) => guard),
          timers: done.map(({ entryId }) => ({ service: GATEWAY_SERVICE, id: `entry:${entryId}`, dueIn: null })),
        }),
      // `now` distinguishes the repeats, so that no broker treats this wake as a duplicate.
      ...again.map(({ entryId, guard, waiting }) =>
        outbox.commit(shard, { op: `again:${entryId}:${now}`, guards: [guard], timers: [repeating(waiting, config, now)] }, [
          wakeFor(waiting, now, now),
        ]),
      ),
    ]);
  }
}

/** Returns the keys of an entry, of the document that it changes, and of the call that it answers, if it is an answer. */
function keysOf(shard: string, entryId: string): readonly string[] {
  const callId = answeredCall(entryId);
  return [keys.inbox(shard, entryId), aboutKey(entryId), ...(callId === null ? [] : [keys.call(callId)])];
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
