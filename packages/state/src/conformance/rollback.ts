import { expect } from "vitest";
import type { Checks } from "./case.ts";
import { A, B, create, ELSEWHERE, HERE, keyIn, put, seenIn, valuesOf } from "./samples.ts";

export const rollbackChecks: Checks = {
  async "names the last commit of a shard, with the mark of its reply, and none for a shard without commits"({ store }) {
    expect((await store.head(HERE)).last).toBeNull();
    const first = seenIn(await store.commit(HERE, put(A)));
    expect((await store.head(HERE)).last).toEqual(first);
    const second = seenIn(await store.commit(HERE, put(B)));
    const { now, last } = await store.head(HERE);
    expect(last).toEqual(second);
    expect(now).toBeGreaterThan(0);
    expect((await store.head(ELSEWHERE)).last).toBeNull();
  },

  async "names the same last commit after a refused change, and after the repeat of an older one"({ store }) {
    await store.commit(HERE, put(A));
    const second = seenIn(await store.commit(HERE, put(B)));
    await store.commit(HERE, put(A));
    await store.commit(HERE, { ...put(A), op: "another" });
    expect((await store.head(HERE)).last).toEqual(second);
  },

  async "accepts a commit that it has as seen, even if others came after it"({ store }) {
    const first = seenIn(await store.commit(HERE, put(A)));
    await create(store, B, 1);
    const second = await store.commit(HERE, { ...put(keyIn(HERE, "c")), seen: first });
    expect(second.outcome).toBe("ok");
    expect(second.rolledBack).toBeUndefined();
    expect((await store.commit(HERE, { ...put(keyIn(HERE, "d")), seen: seenIn(second) })).outcome).toBe("ok");
  },

  async "names the last commit and its mark in a refusal"({ store }) {
    const done = await store.commit(HERE, put(A));
    const refused = await store.commit(HERE, { ...put(A), op: "another" });
    expect([refused.outcome, refused.commit, refused.mark]).toEqual(["stale", done.commit, done.mark]);
  },

  async "refuses a change that has seen a missing commit, says so, and does nothing"({ store }) {
    const { commit, mark } = seenIn(await store.commit(HERE, put(A)));
    expect(await store.commit(HERE, { ...put(B), seen: { commit: commit + 1, mark } })).toMatchObject({
      outcome: "stale",
      rolledBack: true,
    });
    expect(await valuesOf(store, B)).toEqual([null]);
  },

  async "refuses a change that has seen another commit under that number"({ store }) {
    const { commit } = seenIn(await store.commit(HERE, put(A)));
    const reply = await store.commit(HERE, { ...put(B), seen: { commit, mark: "!another" } });
    expect(reply).toMatchObject({ outcome: "stale", rolledBack: true, commit });
    expect((await store.commit(HERE, { ...put(B), seen: seenIn(reply) })).outcome).toBe("ok");
  },

  async "answers ok to the repeat of an existing change, and says that others are missing"({ store }) {
    const { commit } = await store.commit(HERE, put(A));
    const repeat = await store.commit(HERE, { ...put(A), seen: { commit: commit + 5, mark: "!another" } });
    expect(repeat).toMatchObject({ outcome: "ok", commit, rolledBack: true });
  },
};
