import { expect } from "vitest";
import { FEED_CAPACITY } from "../feed.ts";
import type { FeedItem } from "../state-store.ts";
import type { Checks } from "./case.ts";
import { following } from "./following.ts";
import { A, B, create, ELSEWHERE, entriesOf, HERE, keyIn, LOG, under } from "./samples.ts";
import { soon } from "./soon.ts";

export const feedChecks: Checks = {
  async "notifies a follower of appends in every shard, with the log's last sequence number"({ store }) {
    const there = keyIn(ELSEWHERE, "log");
    await following(store, async (next) => {
      const first = next();
      await create(store, A, 1, { append: [{ log: LOG, entries: ["one", "two"] }] });
      expect(await first).toEqual({ kind: "append", log: LOG, sequence: 2 });
      await create(store, keyIn(ELSEWHERE, "a"), 1, { append: [{ log: there, entries: ["one"] }] });
      expect(await next()).toEqual({ kind: "append", log: there, sequence: 1 });
    });
  },

  async "notifies every follower"({ store }) {
    await following(store, (next) =>
      following(store, async (otherNext) => {
        const both = Promise.all([next(), otherNext()]);
        await create(store, A, 1, { append: [{ log: LOG, entries: ["one"] }] });
        expect((await both).map(({ kind }) => kind)).toEqual(["append", "append"]);
      }),
    );
  },

  async "has the entry ready to read when it reports it"({ store }) {
    await following(store, async (next) => {
      const reported = next().then(() => entriesOf(store, LOG));
      await create(store, A, 1, { append: [{ log: LOG, entries: ["one"] }] });
      expect(await reported).toEqual(["one"]);
    });
  },

  async "reports nothing for a refused change, and nothing again for a repeated one"({ store }) {
    const change = under(A, await create(store, A, 1), { append: [{ log: LOG, entries: ["one"] }] });
    await following(store, async (next) => {
      const first = next();
      await store.commit(HERE, { ...change, op: "refused", guards: [{ key: A, version: 99 }] });
      await store.commit(HERE, change);
      await store.commit(HERE, change);
      await create(store, B, 1, { append: [{ log: LOG, entries: ["two"] }] });
      expect([await first, await next()]).toEqual([
        { kind: "append", log: LOG, sequence: 1 },
        { kind: "append", log: LOG, sequence: 2 },
      ]);
    });
  },

  async "reports a gap to a slow follower, keeps a bounded buffer, and continues after it"({ store }) {
    // The follower may have taken a full buffer of items, and another full buffer may be waiting for it.
    const last = 2 * FEED_CAPACITY + 10;
    await following(store, (nextOfQuick) =>
      following(store, async (next) => {
        const first = next();
        const quick = kindsUntil(nextOfQuick, last);
        for (let n = 0; n <= last; n++) await store.live(LOG, n);
        // Both followers are notified at the same moment. When the quick follower has received everything, nothing more is on its way to the slow
        // one.
        await quick;
        expect(await first).toEqual({ kind: "live", log: LOG, batch: 0 });
        const kinds = await kindsUntil(next, last);
        expect(kinds).toContain("gap");
        expect(kinds.length).toBeLessThan(last);
      }),
    );
  },

  async "ends when the signal aborts, also before the first item"({ store }) {
    const stop = new AbortController();
    const feed = store.follow({ signal: stop.signal })[Symbol.asyncIterator]();
    const next = feed.next();
    stop.abort();
    expect((await soon("the end of the feed", next)).done).toBe(true);
    const after = store.follow({ signal: stop.signal })[Symbol.asyncIterator]();
    expect((await soon("the end of the feed", after.next())).done).toBe(true);
  },

  async "ends when the store closes"({ store }) {
    const next = store.follow({ signal: new AbortController().signal })[Symbol.asyncIterator]().next();
    await store.close();
    expect((await soon("the end of the feed", next)).done).toBe(true);
  },
};

/** Returns the kinds of all items up to the live batch with this number. */
async function kindsUntil(next: () => Promise<FeedItem>, last: number): Promise<readonly string[]> {
  const kinds: string[] = [];
  for (;;) {
    const item = await next();
    kinds.push(item.kind);
    if (item.kind === "live" && item.batch === last) return kinds;
  }
}
