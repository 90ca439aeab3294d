import { type Change, connectState, type ConnectStateOptions, StoreRefused } from "@toolbus/state";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { beforeEach, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { HERE } from "./sample-changes.ts";

const OWN = `tb:own.x:{${HERE}}:one`;
const THEIRS = `tb:theirs:{${HERE}}:one`;

/** The rights of a service: it may write its own families and the shared ones, and read one family of another service. */
const RIGHTS = [
  "~tb:own.x:*",
  "~tb:timers.x:*",
  "~tb:outbox.x:*",
  "~tb:commits:*",
  "~tb:marks:*",
  "~tb:feed:*",
  "~tb:store",
  "%R~tb:theirs:*",
  "-@all",
  "+@read",
  "+@write",
  "+@connection",
  "+@scripting",
  "+time",
  "-@dangerous",
  "+info",
  "+config|get",
];

describeOnPrivateServer("redis", "a user who may only read another family", (server) => {
  beforeEach(async () => {
    await using client = await redisClient(server().url);
    await client.ask("FLUSHALL");
    const store = await connectState(server().url, { clock: Date.now });
    await store.commit(HERE, putOf("made by another", THEIRS));
    await store.close();
    await client.ask("ACL", "SETUSER", "x", "reset", "on", ">secret", ...RIGHTS);
  });

  it("may guard its documents, and read them", async () => {
    await using opened = await setup();
    const { documents } = await opened.store.read([THEIRS, OWN]);
    expect(documents).toMatchObject([{ value: 1 }, null]);
    const version = documents[0]?.version ?? 0;
    const change = { ...putOf("own", OWN), timers: [{ service: "x", id: "t", dueIn: 0 }] };
    const guards = [...change.guards, { key: THEIRS, version }];
    expect((await opened.store.commit(HERE, { ...change, guards: [...change.guards, { key: THEIRS, version: 0 }] })).outcome).toBe("stale");
    expect((await opened.store.commit(HERE, { ...change, guards })).outcome).toBe("ok");
    expect(await opened.store.claim("x", "timer", { limit: 1, visibleAfter: 1000 })).toHaveLength(1);
  });

  it("may not write them: nothing of such a change is made", async () => {
    await using opened = await setup();
    const change: Change = { ...putOf("own", OWN), remove: [THEIRS] };
    await expect(opened.store.commit(HERE, change)).rejects.toThrow(
      new StoreRefused(
        `${opened.shown} does not permit this user what the state store needs: give it rights on its keys and on the commands of scripts.`,
      ),
    );
    const { documents } = await opened.store.read([THEIRS, OWN]);
    expect(documents).toMatchObject([{ value: 1, version: 1 }, null]);
    expect(await opened.store.commit(HERE, putOf("own", OWN))).toMatchObject({ outcome: "ok", commit: 2 });
  });

  it("is reported by a warning if only the feed may not be read", async () => {
    await using client = await redisClient(server().url);
    await client.ask("ACL", "SETUSER", "x", "resetkeys", "~tb:store");
    const { promise, resolve } = Promise.withResolvers<void>();
    const warn = (sentence: string): void =>
      sentence.includes("does not permit this user what the state store needs") ? resolve() : undefined;
    await using opened = await setup({ warn });
    const stop = new AbortController();
    const next = opened.store.follow({ signal: stop.signal })[Symbol.asyncIterator]().next();
    await promise;
    stop.abort();
    expect((await next).done).toBe(true);
  });

  async function setup(options: Partial<ConnectStateOptions> = {}) {
    const url = `redis://x:secret@127.0.0.1:${server().port}`;
    const store = await connectState(url, { clock: Date.now, ...options });
    return { store, shown: `Redis at 127.0.0.1:${server().port}`, [Symbol.asyncDispose]: () => store.close() };
  }
});

function putOf(op: string, key: string): Change {
  return { op, guards: [{ key, version: 0 }], put: [{ key, value: 1 }] };
}
