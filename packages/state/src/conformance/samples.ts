import type { Json } from "@toolbus/contracts";
import type { Change, CommitReply, Seen, StateStore } from "../state-store.ts";

/** The shards that the cases use. Every store has at least these two. */
export const HERE = "00";
export const ELSEWHERE = "01";

/** The service whose timers and messages the cases use. */
export const SERVICE = "keeper";

export function keyIn(shard: string, id: string): string {
  return `tb:sample:{${shard}}:${id}`;
}

export const A = keyIn(HERE, "a");
export const B = keyIn(HERE, "b");
export const LOG = keyIn(HERE, "log");

/** Creates a document together with the rest of a change, and returns the document's version. */
export async function create(store: StateStore, key: string, value: Json, more: Partial<Change> = {}): Promise<number> {
  const { put = [], ...rest } = more;
  const change: Change = { op: `create ${key}`, guards: [{ key, version: 0 }], put: [{ key, value }, ...put], ...rest };
  const { outcome, commit } = await store.commit(shardIn(key), change);
  if (outcome !== "ok") throw new Error(`"${key}" was not created: ${outcome}.`);
  return commit;
}

/** Returns a change that creates a document with the value 1. */
export function put(key: string): Change {
  return { op: `put ${key}`, guards: [{ key, version: 0 }], put: [{ key, value: 1 }] };
}

/** Returns the commit of a reply, with its mark. */
export function seenIn({ commit, mark }: CommitReply): Seen {
  if (mark === undefined) throw new Error(`Commit ${commit} has no mark.`);
  return { commit, mark };
}

/** Returns a change that is guarded by this version of a document and leaves the document unchanged. */
export function under(key: string, version: number, change: Omit<Change, "op" | "guards">): Change {
  return { op: `under ${key} ${JSON.stringify(change).slice(0, 200)}`, guards: [{ key, version }], ...change };
}

/** Returns the values of documents, with null for missing ones. */
export async function valuesOf(store: StateStore, ...keys: readonly string[]): Promise<readonly (Json | null)[]> {
  const { documents } = await store.read(keys);
  return documents.map((document) => (document ? document.value : null));
}

/** Returns the values of a log from its start. */
export async function entriesOf(store: StateStore, log: string): Promise<readonly Json[]> {
  const entries = await store.range(log, { after: 0, limit: 1000 });
  return entries.map(({ value }) => value);
}

/** Claims the due rows for a minute and returns their ids. */
export async function claimedIds(store: StateStore, kind: "timer" | "outbox", limit = 100): Promise<readonly string[]> {
  const options = { limit, visibleAfter: 60_000 };
  const rows = kind === "timer" ? await store.claim(SERVICE, "timer", options) : await store.claim(SERVICE, "outbox", options);
  return rows.map(({ id }) => id);
}

/** Returns an outbox message, which is due at once unless `dueIn` says otherwise. */
export function message(id: string, dueIn = 0): NonNullable<Change["outbox"]>[number] {
  return { service: SERVICE, id, topic: "topic.one", message: { id }, dueIn };
}

export function timer(id: string, dueIn: number | null): NonNullable<Change["timers"]>[number] {
  return { service: SERVICE, id, dueIn };
}

function shardIn(key: string): string {
  return /\{(.*?)\}/.exec(key)?.[1] ?? "";
}
