import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type Running, runServices } from "@toolbus/runtime";
import { connectState, StoreUnavailable } from "@toolbus/state";
import { describeOnPrivateServer, freePort, startPrivateServer } from "@toolbus/testing/servers";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { redisClient, type RedisClient } from "./redis-client.ts";
import { HERE, put } from "./sample-changes.ts";

/** This is longer than the time for which the store's answer is cached, and longer than a connection needs to recover. */
const PATIENCE = { timeout: 15_000, interval: 100 } as const;

describeOnPrivateServer("redis", "readiness on a Redis that answers", (server) => {
  let client: RedisClient;
  let running: Running;
  let url: string;

  beforeEach(async () => {
    client = await redisClient(server().url);
    await asItWasStarted();
    await client.ask("FLUSHALL");
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    running = await runServices([], {
      env: { BUS_URL: "memory:", STATE_URL: server().url, HEALTH_PORT: String(port), LOG_LEVEL: "silent" },
    });
  });
  afterEach(async () => {
    await running.stop();
    await client[Symbol.asyncDispose]();
  });

  it("turns off when memory is full, and comes back automatically when there is room", async () => {
    expect(await ready()).toEqual({ status: 200, reasons: [] });
    await client.ask("CONFIG", "SET", "maxmemory", "1");
    await unreadyWith("the state store accepts no changes: memory");
    expect(await running.infrastructure.state.read([])).toMatchObject({ documents: [] });
    await client.ask("CONFIG", "SET", "maxmemory", "0");
    await readyAgain();
  });

  it("turns off when too few replicas take part, and comes back", async () => {
    await client.ask("CONFIG", "SET", "min-replicas-to-write", "1");
    await unreadyWith("the state store accepts no changes: replicas");
    await client.ask("CONFIG", "SET", "min-replicas-to-write", "0");
    await readyAgain();
  });

  it("turns off when the server has become a replica, and comes back when it is a primary", async () => {
    await using primary = await startPrivateServer("redis");
    await client.ask("REPLICAOF", primary.host, String(primary.port));
    await unreadyWith("the state store accepts no changes: read-only");
    await client.ask("REPLICAOF", "NO", "ONE");
    await readyAgain();
  });

  it("turns off when it cannot write to its disk, and comes back", async () => {
    const inTheWay = path.join(await settingOf("dir"), await settingOf("dbfilename"));
    mkdirSync(inTheWay);
    onTestFinished(() => rmSync(inTheWay, { recursive: true, force: true }));
    await client.ask("CONFIG", "SET", "save", "3600 1");
    await saved("err");
    await unreadyWith("the state store accepts no changes: disk");
    rmSync(inTheWay, { recursive: true });
    await saved("ok");
    await readyAgain();
  });

  it("turns off when a shard's counter is overwritten, reports it as a loss, and comes back with a working shard", async () => {
    const { state, losses } = running.infrastructure;
    await state.commit(HERE, put("before"));
    await client.ask("SET", `tb:commits:{${HERE}}`, "nonsense");
    await unreadyWith("the state store accepts no changes: damaged");
    expect(losses?.seenAt(HERE)).toBeGreaterThan(0);
    await readyAgain();
    expect(await state.commit(HERE, put("after"))).toMatchObject({ outcome: "ok" });
  });

  it("turns off while changes of a shard fail one after another, and comes back with the first that does not", async () => {
    const { state } = running.infrastructure;
    const timer = { timers: [{ service: "s", id: "t", dueIn: 1 }] };
    await client.ask("SET", `tb:timers.s:{${HERE}}`, "no timers");
    for (const name of ["a", "b", "c"]) await expect(state.commit(HERE, { ...put(name), ...timer })).rejects.toThrow(/holds other data/);
    await unreadyWith("the state store accepts no changes: damaged");
    await client.ask("DEL", `tb:timers.s:{${HERE}}`);
    expect(await state.commit(HERE, { ...put("a"), ...timer })).toMatchObject({ outcome: "ok" });
    await readyAgain();
  });

  it("stays on if one document cannot be used: others must not wait for it", async () => {
    const { state } = running.infrastructure;
    const { guards, ...change } = put("broken");
    await client.ask("RPUSH", guards[0]?.key ?? "", "no document");
    for (const op of ["1", "2", "3", "4"]) await expect(state.commit(HERE, { ...change, guards, op })).rejects.toThrow(/holds other data/);
    await probedAnew();
    expect(await ready()).toEqual({ status: 200, reasons: [] });
  });

  it("costs the store one small write, however often it is asked", async () => {
    await client.ask("CONFIG", "RESETSTAT");
    await Promise.all(Array.from({ length: 500 }, () => ready()));
    const stats = String(await client.ask("INFO", "commandstats"));
    expect(Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)).toBeLessThanOrEqual(5);
  });

  it("reveals only the word, and the process answers /healthz within a second throughout", async () => {
    await server().pause();
    onTestFinished(() => server().resume());
    const asked = performance.now();
    const [alive, unready] = await Promise.all([fetch(`${url}/healthz`), untilUnready()]);
    expect(alive.status).toBe(200);
    expect(performance.now() - asked).toBeLessThan(5000);
    expect(unready).toEqual({ status: 503, reasons: ["the state store does not answer"] });
    const second = performance.now();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(performance.now() - second).toBeLessThan(1000);
    await server().resume();
    await readyAgain();
  });

  /** Restores the server's settings after a failed test. If the server still refused changes, later tests would wait minutes at their start. */
  async function asItWasStarted(): Promise<void> {
    await client.ask("REPLICAOF", "NO", "ONE");
    await client.ask("CONFIG", "SET", "min-replicas-to-write", "0", "maxmemory", "0", "save", "");
  }

  async function ready(): Promise<{ readonly status: number; readonly reasons: readonly string[] }> {
    const response = await fetch(`${url}/readyz`);
    const { reasons } = (await response.json()) as { readonly reasons: readonly string[] };
    return { status: response.status, reasons };
  }

  async function unreadyWith(reason: string): Promise<void> {
    await expect.poll(ready, PATIENCE).toEqual({ status: 503, reasons: [reason] });
    const asked = performance.now();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(performance.now() - asked).toBeLessThan(1000);
  }

  async function readyAgain(): Promise<void> {
    await expect.poll(ready, PATIENCE).toEqual({ status: 200, reasons: [] });
  }

  async function untilUnready(): Promise<Awaited<ReturnType<typeof ready>>> {
    let last = await ready();
    await expect
      .poll(async () => {
        last = await ready();
        return last.status;
      }, PATIENCE)
      .toBe(503);
    return last;
  }

  /** Resolves when the readiness check has read the store again. */
  async function probedAnew(): Promise<void> {
    const { state } = running.infrastructure;
    await state.probe();
    await client.ask("CONFIG", "RESETSTAT");
    const probed = async (): Promise<number> => {
      await ready();
      return Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await client.ask("INFO", "commandstats")))?.[1] ?? 0);
    };
    await expect.poll(probed, PATIENCE).toBeGreaterThan(0);
  }

  async function settingOf(name: string): Promise<string> {
    const [, value] = [await client.ask("CONFIG", "GET", name)].flat();
    return String(value);
  }

  async function saved(status: "ok" | "err"): Promise<void> {
    await client.ask("BGSAVE");
    const last = async (): Promise<string> => String(await client.ask("INFO", "persistence"));
    await expect.poll(last, PATIENCE).toMatch(new RegExp(`rdb_bgsave_in_progress:0[\\s\\S]*rdb_last_bgsave_status:${status}`));
  }
});

describeOnPrivateServer("redis", "a store whose commits wait for replicas", (server) => {
  it("is probed with the same wait", async () => {
    const store = await connectState(`${server().url}?replicas=1`, { clock: Date.now });
    try {
      await expect(store.probe()).rejects.toThrow(/on 0 replicas after 200 ms, not on 1/);
      await expect(store.probe()).rejects.toMatchObject({ fault: "replicas", constructor: StoreUnavailable });
    } finally {
      await store.close();
    }
  });
});

describeOnPrivateServer("redis", "a store that was emptied under a login that may not create it again", (server) => {
  it("is refused after the connection was lost, and used again, without a restart, once it was set up", async () => {
    await using client = await redisClient(server().url);
    await client.ask(
      "ACL",
      "SETUSER",
      "service",
      "on",
      ">pw",
      "+@all",
      "~tb:sample:*",
      "~tb:commits:*",
      "~tb:marks:*",
      "~tb:feed:*",
      "%R~tb:store",
    );
    const setUp = async (): Promise<void> => (await connectState(server().url, { clock: Date.now })).close();
    await setUp();
    const store = await connectState(server().url.replace("redis://", "redis://service:pw@"), { clock: Date.now });
    try {
      await store.probe();
      await client.ask("FLUSHALL");
      await client.ask("CLIENT", "KILL", "USER", "service");
      await expect.poll(() => store.probe().catch(({ name }: Error) => name), PATIENCE).toBe("StoreRefused");
      await expect(store.commit(HERE, put("refused"))).rejects.toThrow(/"toolbus permissions --set-up"/);
      await setUp();
      await store.probe();
      expect(await store.commit(HERE, put("taken"))).toMatchObject({ outcome: "ok" });
    } finally {
      await store.close();
    }
  });
});
