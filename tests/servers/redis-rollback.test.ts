import { commitRepeatedly, connectState, type StateStore } from "@toolbus/state";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { beforeEach, expect, it } from "vitest";
import { keepCopy, putBack } from "./older-copy.ts";
import { type RedisClient, redisClient } from "./redis-client.ts";
import { following, hasBegun, HERE, LOG, put } from "./sample-changes.ts";

const ELSEWHERE = "01";
const COMMITS = "tb:commits:{00}";

describeOnPrivateServer("redis", "a Redis that has lost acknowledged commits", (server) => {
  beforeEach(async () => {
    await using client = await redisClient(server().url);
    await client.ask("FLUSHALL");
  });

  it("is reported once, refuses the change that relied on them, and works after that", async () => {
    await using opened = await setup();
    const { store, client, lost } = opened;
    await commitAll(store, ["a", "b"]);
    await keepCopy(client);
    await commitAll(store, ["c", "d"]);
    await putBack(client);
    const replies = await Promise.all([store.commit(HERE, put("e")), store.commit(HERE, put("f"))]);
    expect(replies).toMatchObject([
      { outcome: "stale", rolledBack: true, commit: 2 },
      { outcome: "stale", rolledBack: true, commit: 2 },
    ]);
    expect(lost).toEqual([HERE]);
    const after = await store.commit(HERE, put("e"));
    expect(after).toMatchObject({ outcome: "ok", commit: 3 });
    expect(after.rolledBack).toBeUndefined();
    expect(lost).toEqual([HERE]);
  });

  it("is reported with the store's time at which this process last saw the shard", async () => {
    await using opened = await setup();
    const { store, client, seen } = opened;
    await commitAll(store, ["a"]);
    await keepCopy(client);
    const { now } = await store.commit(HERE, put("b"));
    await putBack(client);
    await store.commit(HERE, put("c"));
    expect(seen).toEqual([now]);
  });

  it("is noticed by the mark if others have raised the numbers again", async () => {
    await using opened = await setup();
    await using other = await setup();
    await commitAll(opened.store, ["a", "b"]);
    await keepCopy(opened.client);
    await commitAll(opened.store, ["c"]);
    await putBack(opened.client);
    await commitAll(other.store, ["c2", "d2", "e2"]);
    expect(await opened.store.commit(HERE, put("e"))).toMatchObject({ outcome: "stale", rolledBack: true, commit: 5 });
    expect(opened.lost).toEqual([HERE]);
    expect(other.lost).toEqual([]);
  });

  it.each([
    ["no number", (client: RedisClient) => client.ask("SET", COMMITS, "nonsense")],
    ["a fraction", (client: RedisClient) => client.ask("SET", COMMITS, "1.5")],
    ["more than any shard counts to", (client: RedisClient) => client.ask("SET", COMMITS, "9007199254740993")],
    ["another type of value", async (client: RedisClient) => [await client.ask("DEL", COMMITS), await client.ask("RPUSH", COMMITS, "x")]],
  ] as const)("is assumed if somebody has set a shard's counter to %s: it is reported once, and the shard works", async (_, damage) => {
    await using opened = await setup();
    await using other = await setup();
    await commitAll(opened.store, ["a", "b"]);
    await damage(opened.client);
    expect(await opened.store.commit(HERE, put("c"))).toMatchObject({ outcome: "stale", rolledBack: true });
    expect(opened.lost).toEqual([HERE]);
    const after = await opened.store.commit(HERE, put("c"));
    expect(after).toMatchObject({ outcome: "ok" });
    expect(after.commit).toBeGreaterThan(2);
    // The other process has not noticed the loss. The versions that it knows are lower than the new ones.
    expect(await other.store.commit(HERE, put("d"))).toMatchObject({ outcome: "ok", commit: after.commit + 1 });
    expect(other.lost).toEqual([]);
  });

  it("continues if marks or feed of a shard have another type of value", async () => {
    await using opened = await setup();
    await commitAll(opened.store, ["a"]);
    for (const key of ["tb:marks:{00}", "tb:feed:{00}"]) {
      await opened.client.ask("DEL", key);
      await opened.client.ask("RPUSH", key, "x");
    }
    await opened.store.commit(HERE, put("b"));
    expect(await opened.store.commit(HERE, { ...put("b"), append: [{ log: LOG, entries: [1] }] })).toMatchObject({ outcome: "ok" });
    expect(await opened.store.commit(HERE, put("c"))).toMatchObject({ outcome: "ok" });
  });

  it.each([
    ["a time", ["*"]],
    ["a time, and taken away again", ["MAXLEN", "0", "*"]],
    ["the last number that there is", ["0-18446744073709551615"]],
    ["a number that is not exact any more", ["0-9007199254740993"]],
  ] as const)("makes the whole change, and notifies its followers, after a service gave the feed %s as its id", async (_, words) => {
    await using opened = await setup();
    const { store, client } = opened;
    await following(store, async (next) => {
      const first = next();
      await hasBegun(store);
      await store.live(LOG, "one");
      await first;
      await client.ask("XADD", "tb:feed:{00}", ...words, "log", "nobody's", "sequence", "0");
      const timers = [{ service: "x", id: "t", dueIn: 0 }];
      expect(await store.commit(HERE, { ...put("a"), append: [{ log: LOG, entries: ["entry"] }], timers })).toMatchObject({
        outcome: "ok",
      });
      expect(await client.ask("ZCARD", "tb:timers.x:{00}")).toBe(1);
      // The reader returns each item once. Where it cannot know what it missed, it returns a gap. A follower then reads the log.
      for (;;) {
        const item = await next();
        if (item.kind === "gap" || (item.kind === "append" && item.log === LOG)) break;
      }
      await client.ask("XADD", "tb:feed:{00}", "*", "log", "nobody's", "sequence", "0");
      await store.live(LOG, "two");
      expect((await store.recent(LOG)).at(-1)).toBe("two");
    });
  });

  it("reads an item once that a service put into a feed under a number that is no longer exact", async () => {
    await using opened = await setup();
    const { store, client } = opened;
    await following(store, async (next) => {
      const first = next();
      await hasBegun(store);
      await client.ask("XADD", "tb:feed:{00}", "0-9007199254740993", "log", "nobody's", "sequence", "0");
      expect([await first, await next()]).toEqual([{ kind: "gap" }, { kind: "append", log: "nobody's", sequence: 0 }]);
      const heard = next();
      await store.commit(HERE, { ...put("a"), append: [{ log: LOG, entries: ["entry"] }] });
      expect(await heard).toEqual({ kind: "append", log: LOG, sequence: 1 });
    });
  });

  it("is reported for the shards in which this process saw commits", async () => {
    await using opened = await setup();
    const { store, client, lost } = opened;
    await keepCopy(client);
    await store.commit(HERE, put("a"));
    await store.commit(ELSEWHERE, put("a", ELSEWHERE));
    await putBack(client);
    await store.commit(ELSEWHERE, put("b", ELSEWHERE));
    await store.commit("02", put("b", "02"));
    expect(lost).toEqual([ELSEWHERE]);
  });

  it("is not assumed if a commit is so old that its mark was overwritten", async () => {
    await using opened = await setup();
    await using other = await setup();
    const first = await opened.store.commit(HERE, put("a"));
    for (let n = 0; n < 90; n++)
      await commitAll(
        other.store,
        Array.from({ length: 100 }, (_, m) => `${n}.${m}`),
      );
    expect(await opened.store.commit(HERE, put("b"))).toMatchObject({ outcome: "ok", commit: 9002 });
    const wrong = { ...put("c"), seen: { commit: first.commit, mark: "!another" } };
    expect((await opened.store.commit(HERE, wrong)).outcome).toBe("ok");
  });

  it("may have lost everything: the store keeps its shards, and reports it", async () => {
    await using opened = await setup(4);
    const { store, client, lost } = opened;
    await commitAll(store, ["a", "b"]);
    await client.ask("FLUSHALL");
    await client.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    expect(await commitRepeatedly(store, HERE, put("c"), () => true)).toMatchObject({ outcome: "stale", rolledBack: true, commit: 0 });
    expect(lost).toEqual([HERE]);
    await using again = await setup();
    expect(again.store.shards).toBe(4);
  });

  it("may have become another one: then every shard counts as rolled back", async () => {
    await using opened = await setup(2);
    await opened.client.ask("HSET", "tb:store", "identity", "another");
    await opened.client.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await opened.reported;
    expect(opened.lost.toSorted()).toEqual(["00", "01"]);
    expect(opened.seen).toEqual([0, 0]);
  });

  it("reports a gap to followers, although its feeds count from the start again", async () => {
    await using opened = await setup();
    const { store, client } = opened;
    await following(store, async (next) => {
      const first = next();
      await hasBegun(store);
      await store.live(LOG, "one");
      expect(await first).toMatchObject({ kind: "live" });
      await client.ask("FLUSHALL");
      expect(await next()).toEqual({ kind: "gap" });
      const heard = next();
      await store.live(LOG, "two");
      expect(await heard).toEqual({ kind: "live", log: LOG, batch: "two" });
    });
  });

  async function setup(shards?: number) {
    const lost: string[] = [];
    const seen: number[] = [];
    const { promise: reported, resolve } = Promise.withResolvers<void>();
    const onRollback = (shard: string, seenAt: number): void => {
      lost.push(shard);
      seen.push(seenAt);
      resolve();
    };
    const store = await connectState(server().url, { clock: Date.now, onRollback, ...(shards === undefined ? {} : { shards }) });
    const client = await redisClient(server().url);
    return {
      store,
      client,
      lost,
      seen,
      reported,
      async [Symbol.asyncDispose]() {
        await store.close();
        await client[Symbol.asyncDispose]();
      },
    };
  }
});

async function commitAll(store: StateStore, names: readonly string[]): Promise<void> {
  const replies = await Promise.all(names.map((name) => store.commit(HERE, put(name))));
  expect(replies.map(({ outcome }) => outcome)).toEqual(names.map(() => "ok"));
}
