import { expect } from "vitest";
import type { Guard, Seen, StateStore, StoredDocument } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { A, B, ELSEWHERE, HERE, keyIn, put, seenIn } from "./samples.ts";

export const changedChecks: Checks = {
  async "reads again only the documents that have changed since a commit"({ store }) {
    const C = keyIn(HERE, "c");
    for (const key of [A, B, C]) await store.commit(HERE, put(key));
    const { since, known } = await knownOf(store, [A, B, C, keyIn(HERE, "d"), keyIn(HERE, "e")]);
    expect([...(await changedOf(store, since, known))]).toEqual([]);
    await store.commit(HERE, { op: "b", guards: [{ key: B, version: known[1]?.version ?? 0 }], put: [{ key: B, value: "new" }] });
    await store.commit(HERE, { op: "c", guards: [{ key: C, version: known[2]?.version ?? 0 }], remove: [C] });
    await store.commit(HERE, put(keyIn(HERE, "d")));
    const changed = await changedOf(store, since, known);
    expect([...changed].map(([key, document]) => [key, document?.value ?? null])).toEqual([
      [B, "new"],
      [C, null],
      [keyIn(HERE, "d"), 1],
    ]);
    const { documents } = await store.read([B]);
    expect(changed.get(B)).toEqual(documents[0]);
  },

  async "takes a document that expired as changed"({ store, advance }) {
    const { now } = await store.read([A]);
    await store.commit(HERE, { op: "a", guards: [{ key: A, version: 0 }], put: [{ key: A, value: 1, expiresAt: now + 10_000 }] });
    const { since, known } = await knownOf(store, [A]);
    await advance(10_000);
    expect([...(await changedOf(store, since, known))]).toEqual([[A, null]]);
  },

  async "takes a version after the commit as changed, because a store that loses commits uses its number again"({ store }) {
    const since = seenIn(await store.commit(HERE, put(A)));
    const later = await store.commit(HERE, put(B));
    expect([...(await changedOf(store, since, [{ key: B, version: later.commit }])).keys()]).toEqual([B]);
  },

  async "says that it cannot tell what has changed since a commit that it does not have"({ store }) {
    const { commit, mark } = seenIn(await store.commit(HERE, put(A)));
    const known = [{ key: A, version: commit }];
    expect((await store.changed(HERE, { commit: commit + 1, mark }, known)).changed).toBeNull();
    // Some stores make a mark from the number.
    expect((await store.changed(HERE, { commit: commit + 1, mark: String(commit + 1) }, known)).changed).toBeNull();
    expect((await store.changed(HERE, { commit, mark: "!another" }, known)).changed).toBeNull();
    expect((await store.changed(HERE, { commit, mark }, known)).changed).toEqual(new Map());
    await expect(store.changed(ELSEWHERE, { commit, mark }, known)).rejects.toThrow(RangeError);
  },
};

/** Returns the last commit, and the versions that the documents have at it. */
async function knownOf(store: StateStore, keys: readonly string[]): Promise<{ readonly since: Seen; readonly known: readonly Guard[] }> {
  const { last } = await store.head(HERE);
  if (last === null) throw new Error("The shard has no commit.");
  const { documents } = await store.read(keys);
  return { since: last, known: keys.map((key, n) => ({ key, version: documents[n]?.version ?? 0 })) };
}

async function changedOf(store: StateStore, since: Seen, known: readonly Guard[]): Promise<ReadonlyMap<string, StoredDocument | null>> {
  const { changed } = await store.changed(HERE, since, known);
  if (changed === null) throw new Error("The store does not have the commit.");
  return changed;
}
