import { connectState, type ConnectStateOptions, StoreRefused, StoreUnavailable } from "@toolbus/state";
import { describeOnPrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { afterEach, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { HERE, keyOf, put } from "./sample-changes.ts";

const clock = (): number => 0;
const PASSWORD = "p@ss/w:rd%";

describeOnPrivateServer("redis", "a start on an unsuitable Redis", (server) => {
  it("is refused without an append-only file, with the remedy", async () => {
    await using changed = await withSettings({ appendonly: "no" });
    await expect(changed.connect()).rejects.toThrow(
      new StoreRefused(
        `${shown()} may lose what it has acknowledged, because it keeps no append-only file: set "CONFIG SET appendonly yes", in redis.conf as well, ` +
          `or allow it for a trial: add durability=relaxed to the URL, as in redis://${shown().replace("Redis at ", "")}?durability=relaxed.`,
      ),
    );
  });

  it("is refused if it evicts keys, together with the other fault", async () => {
    await using changed = await withSettings({ appendonly: "no", "maxmemory-policy": "allkeys-lru" });
    await expect(changed.connect()).rejects.toThrow(
      /because it keeps no append-only file and removes keys when memory is full \(allkeys-lru\): set "CONFIG SET appendonly yes" and "CONFIG SET maxmemory-policy noeviction"/,
    );
  });

  it.each([
    ["an option", {}, { durability: "relaxed" as const }],
    ["the URL", { query: "?durability=relaxed" }, {}],
  ])("is only warned about if %s allows it", async (_, { query = "" }: { query?: string }, options) => {
    await using changed = await withSettings({ appendonly: "no" });
    expect(await changed.warnings(query, options)).toEqual([expect.stringContaining("may lose what it has acknowledged")]);
  });

  it("follows the option if the URL says otherwise", async () => {
    await using changed = await withSettings({ appendonly: "no" });
    await expect(changed.connect("?durability=relaxed", { durability: "required" })).rejects.toThrow(StoreRefused);
  });

  it("is warned about if not every commit is synced to disk, and not otherwise", async () => {
    await using changed = await withSettings({ appendfsync: "everysec" });
    expect(await changed.warnings()).toEqual([
      `${shown()} syncs to disk with appendfsync everysec: a power cut may take the last seconds of what it has acknowledged; "CONFIG SET appendfsync always" keeps all.`,
    ]);
    await changed.client.ask("CONFIG", "SET", "appendfsync", "always");
    expect(await changed.warnings()).toEqual([]);
  });

  it("is refused if it would not read again what was committed together, however the rights of its default user are cut", async () => {
    await using changed = await withSettings({});
    await changed.client.ask("ACL", "SETUSER", "service", "on", ">secret", "~*", "&*", "+@all");
    const url = urlAs("service", "secret");
    await changed.client.ask("AUTH", "service", "secret");
    try {
      for (const rules of [["resetkeys"], ["-xadd"], ["off", "-@all"]]) {
        await changed.client.ask("ACL", "SETUSER", "default", ...rules);
        await expect(changed.connect("", {}, url)).rejects.toThrow(
          /what its user "default" may not write .* set "ACL SETUSER default off allkeys/,
        );
        await changed.client.ask("ACL", "SETUSER", "default", "off", "allkeys", "allchannels", "+@all");
        expect(await changed.warnings("", {}, url)).toEqual([]);
      }
    } finally {
      await changed.client.ask("ACL", "SETUSER", "default", "on");
      await changed.client.ask("ACL", "DELUSER", "service");
    }
  });

  it("uses INFO if CONFIG is forbidden, and says what that does not show", async () => {
    await using changed = await withSettings({ appendonly: "yes" });
    await changed.client.ask("ACL", "SETUSER", "managed", "on", ">secret", "~*", "&*", "+@all", "-config");
    const url = urlAs("managed", "secret");
    expect(await changed.warnings("", {}, url)).toEqual([
      `This login may not read appendfsync of ${shown()}, so it did not check this; "toolbus permissions --set-up" checks it with its own login.`,
    ]);
    await changed.client.ask("CONFIG", "SET", "appendonly", "no");
    await expect(changed.connect("", {}, url)).rejects.toThrow("keeps no append-only file");
  });

  it("is refused at once for a login that is wrong, or missing, and repeats no password", async () => {
    await using changed = await withSettings({ requirepass: PASSWORD });
    const begun = performance.now();
    const wrong = await changed.connect("", {}, urlAs("default", "wrong-secret")).catch((error: unknown) => error);
    expect(wrong).toEqual(new StoreRefused(`${shown()} refuses the login: correct user and password in the URL.`));
    expect(JSON.stringify(wrong, Object.getOwnPropertyNames(wrong))).not.toContain("wrong-secret");
    await expect(changed.connect()).rejects.toThrow(new StoreRefused(`${shown()} requires a login: put user and password into the URL.`));
    expect(performance.now() - begun).toBeLessThan(1000);
    expect(await changed.warnings("", {}, urlAs("", PASSWORD))).toEqual([]);
  });

  it("is refused for a database that does not exist, and keeps existing databases separate", async () => {
    await expect(connectState(`${base()}/99`, { clock })).rejects.toThrow(
      new StoreRefused(`${shown()} has no database with that number: name a smaller one in the path of the URL.`),
    );
    const third = await connectState(`${base()}/3`, { clock });
    await third.commit(HERE, put("in the third"));
    await third.close();
    const first = await connectState(base(), { clock });
    expect((await first.read([keyOf("in the third")])).documents).toEqual([null]);
    await first.close();
  });

  it("is refused on a replica, and a store whose server becomes one is unavailable", async () => {
    await using primary = await startPrivateServer("redis");
    const store = await connectState(base(), { clock });
    await using changed = await withSettings({});
    await changed.client.ask("REPLICAOF", "127.0.0.1", String(primary.port));
    await expect(store.commit(HERE, put("a"))).rejects.toThrow(
      new StoreUnavailable(`${shown()} is a replica now.`, { fault: "read-only" }),
    );
    await store.close();
    await expect(changed.connect()).rejects.toThrow(
      new StoreRefused(`${shown()} is a replica, which accepts no changes: name its primary.`),
    );
    await changed.client.ask("REPLICAOF", "NO", "ONE");
  });

  it("says that it tried TLS, which a port without it does not answer", async () => {
    const url = base().replace("redis:", "rediss:");
    await expect(connectState(url, { clock, connectForMs: 200 })).rejects.toThrow(`${shown()} (TLS) did not answer in time.`);
  });

  it("is refused with another number of shards, or another format, than the store has", async () => {
    await using changed = await withSettings({});
    await (await connectState(base(), { clock, shards: 4 })).close();
    await expect(changed.connect("", { shards: 8 })).rejects.toThrow(
      new StoreRefused(`${shown()} holds a state store of 4 shards, fixed at its first start, not 8: ask for 4 or name another namespace.`),
    );
    await changed.client.ask("HSET", "tb:store", "format", "2");
    await expect(changed.connect()).rejects.toThrow(
      new StoreRefused(
        `${shown()} holds a state store of format 2, this program reads 1: start the version that wrote it, or name another namespace.`,
      ),
    );
  });

  it("creates one store in two first starts at the same moment", async () => {
    const stores = await Promise.allSettled([2, 3, 2, 3].map((shards) => connectState(base(), { clock, shards })));
    const opened = stores.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(opened.map(({ shards }) => shards)).toEqual(opened.length === 0 ? [] : [opened[0]?.shards, opened[0]?.shards]);
    expect(opened).toHaveLength(2);
    for (const store of opened) await store.close();
  });

  it("ends on request while it waits for a server", async () => {
    await server().stop();
    const stop = new AbortController();
    const opening = connectState(base(), { clock, signal: stop.signal });
    stop.abort();
    await expect(opening).rejects.toThrow(new StoreUnavailable(`Connecting to ${shown()} was given up.`));
    await expect(connectState(base(), { clock, connectForMs: 100 })).rejects.toThrow(
      `${shown()} refuses connections: nothing listens there. It was retried for 0.1 s: start it, or correct the URL of the state store.`,
    );
    await server().start();
  });

  afterEach(async () => {
    await using client = await redisClient(server().url);
    await client.ask("FLUSHALL");
  });

  function base(): string {
    return server().url;
  }

  function shown(): string {
    return `Redis at 127.0.0.1:${server().port}`;
  }

  function urlAs(user: string, password: string): string {
    return `redis://${user}:${encodeURIComponent(password)}@127.0.0.1:${server().port}`;
  }

  /** Changes settings of the server for one test. */
  async function withSettings(settings: Readonly<Record<string, string>>) {
    const client = await redisClient(base());
    const before: [string, string][] = [];
    for (const [name, value] of Object.entries(settings)) {
      const [, old] = [await client.ask("CONFIG", "GET", name)].flat();
      before.push([name, String(old)]);
      await client.ask("CONFIG", "SET", name, value);
    }
    const connect = (query = "", options: Partial<ConnectStateOptions> = {}, url = base()) =>
      connectState(url + query, { clock, ...options });
    return {
      client,
      connect,
      async warnings(...[query, options = {}, url]: Parameters<typeof connect>): Promise<readonly string[]> {
        const reported: string[] = [];
        const store = await connect(query, { ...options, warn: (sentence) => void reported.push(sentence) }, url);
        await store.close();
        return reported;
      },
      async [Symbol.asyncDispose]() {
        for (const [name, value] of before) await client.ask("CONFIG", "SET", name, value);
        await client[Symbol.asyncDispose]();
      },
    };
  }
});
