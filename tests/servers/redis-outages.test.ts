import { commitRepeatedly, type StateStore, StoreUnavailable } from "@toolbus/state";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { openStore, redisSpace } from "./redis-space.ts";
import { following, HERE, keyOf, LOG, put } from "./sample-changes.ts";

describeOnPrivateServer("redis", "a store on a Redis that dies", (server) => {
  const space = redisSpace(server);

  it("has everything that was answered ok when it was killed during commits, three times", async () => {
    await using opened = await openStore(space.urlOf("killed"));
    const acknowledged = new Set<string>();
    const stop = new AbortController();
    const writers = Array.from({ length: 8 }, (_, writer) => writeUntil(stop.signal, opened.store, writer, acknowledged));
    for (let kill = 1; kill <= 3; kill++) {
      await more(acknowledged, 200);
      await server().kill();
      await server().start();
    }
    await more(acknowledged, 50);
    stop.abort();
    await Promise.all(writers);
    const keys = [...acknowledged];
    const { documents } = await opened.store.read(keys);
    expect(keys.filter((_, n) => documents[n] === null)).toEqual([]);
    expect(keys.length).toBeGreaterThan(650);
  });

  it("fails at once while it is down, and continues automatically when it is back", async () => {
    await using opened = await openStore(space.urlOf("down"));
    const { store } = opened;
    await commitRepeatedly(store, HERE, put("before"));
    await server().stop();
    // The first read may still use the connection that is closing.
    await expect(store.read([keyOf("before")])).rejects.toThrow(StoreUnavailable);
    const begun = performance.now();
    await expect(store.read([keyOf("before")])).rejects.toThrow(
      /^Redis at 127\.0\.0\.1:\d+ (?:refuses connections|was lost|cannot be reached)/,
    );
    await expect(store.commit(HERE, put("meanwhile"))).rejects.toThrow(StoreUnavailable);
    await expect(store.claim("s", "timer", { limit: 1, visibleAfter: 1 })).rejects.toThrow(StoreUnavailable);
    expect(performance.now() - begun).toBeLessThan(500);
    await server().start();
    const { outcome } = await commitRepeatedly(store, HERE, put("after"), () => true);
    expect(outcome).toBe("ok");
    const { documents } = await store.read([keyOf("before"), keyOf("after")]);
    expect(documents.map((document) => document?.value)).toEqual([1, 1]);
  });

  it("continues after the server has forgotten its scripts", async () => {
    await using opened = await openStore(space.urlOf("no-script"));
    await using client = await redisClient(server().url);
    expect((await opened.store.commit(HERE, put("a"))).outcome).toBe("ok");
    await client.ask("SCRIPT", "FLUSH");
    const outcomes = await Promise.all(["b", "c", "d"].map((name) => opened.store.commit(HERE, put(name))));
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
    await client.ask("SCRIPT", "FLUSH");
    expect((await opened.store.read([keyOf("d")])).documents).toMatchObject([{ value: 1 }]);
  });

  it("may be followed while it is down: the follower gets a gap, and then new items", async () => {
    await using opened = await openStore(space.urlOf("followed"));
    const { store } = opened;
    await server().stop();
    await following(store, async (next) => {
      const first = next();
      await server().start();
      expect(await first).toEqual({ kind: "gap" });
      const heard = next();
      await commitRepeatedly(store, HERE, { ...put("a"), append: [{ log: LOG, entries: ["one"] }] }, () => true);
      expect(await heard).toEqual({ kind: "append", log: LOG, sequence: 1 });
    });
  });

  it("is waited for at the start", async () => {
    await server().stop();
    const opening = openStore(space.urlOf("late"));
    await server().start();
    await using opened = await opening;
    expect((await opened.store.commit(HERE, put("a"))).outcome).toBe("ok");
  });
});

/** Commits one document after another. Repeats each commit until the store answers it. */
async function writeUntil(signal: AbortSignal, store: StateStore, writer: number, acknowledged: Set<string>): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const name = `${writer}-${n}`;
    await commitRepeatedly(store, HERE, put(name), () => true);
    acknowledged.add(keyOf(name));
    reported.resolve();
    reported = Promise.withResolvers();
  }
}

/** Resolves at the next acknowledgement. */
let reported = Promise.withResolvers<void>();

async function more(acknowledged: ReadonlySet<string>, count: number): Promise<void> {
  for (const goal = acknowledged.size + count; acknowledged.size < goal;) await reported.promise;
}
