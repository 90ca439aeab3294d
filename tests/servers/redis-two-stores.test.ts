import type { StateStore } from "@toolbus/state";
import { describeOnServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { openStore, redisSpace } from "./redis-space.ts";
import { following, hasBegun, HERE, keyOf, LOG, put } from "./sample-changes.ts";

describeOnServer("redis", "two stores on one server", (server) => {
  const space = redisSpace(server);

  it("count exactly if both read, decide and commit", async () => {
    const url = space.urlOf("racing");
    await using one = await openStore(url);
    await using two = await openStore(url);
    const rounds = 100;
    await Promise.all([one, two, one, two].map(({ store }, writer) => countUp(store, writer, rounds)));
    expect((await one.store.read([keyOf("sum")])).documents).toMatchObject([{ value: 4 * rounds }]);
    const entries = await two.store.range(LOG, { after: 0, limit: 1000 });
    expect(entries.map(({ value }) => value)).toEqual(Array.from({ length: 4 * rounds }, (_, n) => n + 1));
  });

  it("never claim the same row", async () => {
    const url = space.urlOf("claiming");
    await using one = await openStore(url);
    await using two = await openStore(url);
    const timers = Array.from({ length: 200 }, (_, n) => ({ service: "s", id: `t${n}`, dueIn: 0 }));
    await one.store.commit(HERE, { ...put("a"), timers });
    const claims = Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).store.claim("s", "timer", { limit: 15, visibleAfter: 60_000 }));
    const ids = (await Promise.all(claims)).flat().map(({ id }) => id);
    expect(ids).toHaveLength(200);
    expect(new Set(ids).size).toBe(200);
  });

  it("are notified of the other's appends", async () => {
    const url = space.urlOf("hearing");
    await using one = await openStore(url);
    await using two = await openStore(url);
    await following(one.store, async (next) => {
      const heard = next();
      await hasBegun(one.store);
      await two.store.live(LOG, "text");
      expect(await heard).toEqual({ kind: "live", log: LOG, batch: "text" });
    });
  });

  it("accept from the feed only entries that the log itself has, whoever wrote the feed and however far the log is ahead", async () => {
    const url = space.urlOf("genuine");
    await using one = await openStore(url);
    await using two = await openStore(url);
    for (let n = 0; n < 100; n++) await two.store.live(LOG, { n });
    expect(await one.store.genuine(LOG, [{ n: 99 }, { n: 100 }, { n: 3 }])).toEqual([{ n: 99 }, { n: 3 }]);
    expect(await one.store.genuine(keyOf("another"), [{ n: 99 }])).toEqual([]);
  });

  it("use the server's time, whatever the process believes", async () => {
    await using one = await openStore(space.urlOf("time"));
    await using client = await redisClient(server().url);
    const [seconds] = [await client.ask("TIME")].flat();
    const { now } = await one.store.commit(HERE, put("a"));
    expect(Math.abs(now - Number(seconds) * 1000)).toBeLessThan(5000);
    const late = await one.store.commit(HERE, { ...put("b"), notAfter: now - 1 });
    expect(late.outcome).toBe("late");
  });
});

async function countUp(store: StateStore, writer: number, rounds: number): Promise<void> {
  for (let round = 0; round < rounds;) {
    const document = (await store.read([keyOf("sum")])).documents[0];
    const count = Number(document?.value ?? 0) + 1;
    const { outcome } = await store.commit(HERE, {
      op: `${writer}.${round} to ${count}`,
      guards: [{ key: keyOf("sum"), version: document?.version ?? 0 }],
      put: [{ key: keyOf("sum"), value: count }],
      append: [{ log: LOG, entries: [count] }],
    });
    if (outcome === "ok") round++;
  }
}
