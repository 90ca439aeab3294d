import { type Change, connectState, StoreUnavailable } from "@toolbus/state";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { beforeEach, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { HERE, keyOf } from "./sample-changes.ts";

const FIRST = keyOf("first");
const SECOND = keyOf("second");

describeOnPrivateServer("redis", "a change that Redis refuses in the middle", (server) => {
  beforeEach(async () => {
    await using client = await redisClient(server().url);
    await client.ask("FLUSHALL");
    await client.ask("CONFIG", "SET", "maxmemory", "0");
  });

  it.each([
    ["timers", `tb:timers.x:{${HERE}}`],
    ["an outbox", `tb:outbox.x:{${HERE}}`],
    ["what an outbox holds", `tb:outbox.x:{${HERE}}#rows`],
    ["an index", `tb:index.x:{${HERE}}#index`],
    ["a log", `${FIRST}#log`],
    ["the second document", SECOND],
    ["a document that is removed", `${SECOND}-removed`],
    // The list leaves out the keys that every service writes: the shard's counter, marks and feed. redis-rollback.test.ts tests that a compromised
    // service cannot stop the others through these keys.
  ])("is not made even in part if %s is something else", async (_, key) => {
    await using client = await redisClient(server().url);
    const store = await connectState(server().url, { clock: Date.now });
    try {
      await client.ask("SADD", key, "something else");
      await expect(store.commit(HERE, everything)).rejects.toThrow(
        `Redis at 127.0.0.1:${server().port} holds other data under a key of the state store: name another database or a separate namespace.`,
      );
      expect(new Set([await client.ask("KEYS", "*")].flat())).toEqual(new Set([key, "tb:store", "tb:clock"]));
    } finally {
      await store.close();
    }
  });

  it("is unavailable while memory is full, while claims continue", async () => {
    await using client = await redisClient(server().url);
    const store = await connectState(server().url, { clock: Date.now });
    try {
      await store.commit(HERE, everything);
      await client.ask("CONFIG", "SET", "maxmemory", "1");
      await expect(store.commit(HERE, putOf("more", `${FIRST}-more`))).rejects.toThrow(StoreUnavailable);
      const rows = await store.claim("x", "outbox", { limit: 5, visibleAfter: 1000 });
      expect(rows).toMatchObject([{ id: "m", topic: "t", message: { a: 1 } }]);
      await store.settle("x", rows);
      expect((await store.read([FIRST])).documents).toMatchObject([{ value: 1 }]);
      await client.ask("CONFIG", "SET", "maxmemory", "0");
      expect(await store.commit(HERE, putOf("more", `${FIRST}-more`))).toMatchObject({ outcome: "ok", commit: 2 });
    } finally {
      await store.close();
    }
  });
});

const everything: Change = {
  ...putOf("everything", FIRST),
  put: [
    { key: FIRST, value: 1 },
    { key: SECOND, value: 2 },
  ],
  remove: [`${SECOND}-removed`],
  append: [{ log: FIRST, entries: [1] }],
  timers: [{ service: "x", id: "t", dueIn: 0 }],
  outbox: [{ service: "x", id: "m", topic: "t", message: { a: 1 }, dueIn: 0 }],
  index: [{ index: "index.x", member: "m", score: 1 }],
};

function putOf(op: string, key: string): Change {
  return { op, guards: [{ key, version: 0 }], put: [{ key, value: 1 }] };
}
