import { type Change, commitRepeatedly, connectState, StoreUnavailable } from "@toolbus/state";
import { describeOnServer, type TcpProxy, tcpProxy } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { type OpenStore, openStore, redisSpace } from "./redis-space.ts";
import { following, hasBegun, HERE, keyOf, LOG, put } from "./sample-changes.ts";

describeOnServer("redis", "a store behind a bad network", (server) => {
  const space = redisSpace(server);

  it("executes a change once if it was repeated because its answer was lost", async () => {
    await using opened = await behind(space.urlOf("lost-reply"));
    const { store, proxy } = opened;
    const change: Change = {
      ...put("a"),
      append: [{ log: LOG, entries: ["one"] }],
    };
    const dropped = proxy.dropNextReply();
    await expect(store.commit(HERE, change)).rejects.toThrow(StoreUnavailable);
    expect(await dropped).toBe(true);
    expect(await commitRepeatedly(store, HERE, change, () => true)).toMatchObject({ outcome: "ok", commit: 1 });
    expect(await store.range(LOG, { after: 0, limit: 10 })).toEqual([{ sequence: 1, value: "one" }]);
  });

  it("reports a lost connection at once, not at the time-out", async () => {
    await using opened = await behind(space.urlOf("cut"));
    const { store, proxy } = opened;
    proxy.blackHole();
    const begun = performance.now();
    const unanswered = store.commit(HERE, put("a"));
    proxy.cut();
    await expect(unanswered).rejects.toThrow("was lost before it answered");
    expect(performance.now() - begun).toBeLessThan(500);
  });

  it("fails in time if nothing comes back, and continues when the network does", async () => {
    await using opened = await behind(space.urlOf("hole"));
    const { store, proxy } = opened;
    proxy.blackHole();
    const begun = performance.now();
    const outcomes = await Promise.allSettled([store.read([keyOf("a")]), store.commit(HERE, put("a")), store.getBlob("x")]);
    expect(performance.now() - begun).toBeLessThan(3000);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: { code: "store_unavailable" } });
    proxy.heal();
    expect(await commitRepeatedly(store, HERE, put("a"), () => true)).toMatchObject({ outcome: "ok" });
  });

  it("gives up a start that gets no answer, with the server's name and no password", async () => {
    await using proxy = await tcpProxy(addressOf(server().url));
    proxy.blackHole();
    const url = new URL(proxy.through(space.urlOf("start")));
    url.password = "secret";
    await expect(connectState(url.href, { clock: Date.now, connectForMs: 300 })).rejects.toThrow(
      new StoreUnavailable(
        `Redis at 127.0.0.1:${proxy.port} did not answer in time. It was retried for 0.3 s: start it, or correct the URL of the state store.`,
      ),
    );
  });

  it("reports the gap after a lost connection to a follower, and then new items", async () => {
    const url = space.urlOf("gap");
    await using opened = await behind(url);
    await using other = await openStore(url);
    await following(opened.store, async (next) => {
      const first = next();
      await hasBegun(opened.store);
      await other.store.commit(HERE, { ...put("a"), append: [{ log: LOG, entries: ["one"] }] });
      expect(await first).toEqual({ kind: "append", log: LOG, sequence: 1 });
      opened.proxy.cut();
      await other.store.commit(HERE, { ...put("b"), append: [{ log: LOG, entries: ["two"] }] });
      expect(await next()).toEqual({ kind: "gap" });
      const heard = next();
      await other.store.commit(HERE, { ...put("c"), append: [{ log: LOG, entries: ["three"] }] });
      expect(await heard).toEqual({ kind: "append", log: LOG, sequence: 3 });
    });
  });

  it("reports the gap to a follower if the feed was trimmed by more than it missed", async () => {
    const url = space.urlOf("short");
    await using opened = await behind(url);
    await using other = await openStore(url);
    await following(opened.store, async (next) => {
      const first = next();
      await hasBegun(opened.store);
      await other.store.live(LOG, 0);
      expect(await first).toEqual({ kind: "live", log: LOG, batch: 0 });
      opened.proxy.blackHole();
      await Promise.all(Array.from({ length: 2000 }, (_, n) => other.store.live(LOG, n + 1)));
      opened.proxy.heal();
      const kinds: string[] = [];
      for (let item = await next(); ; item = await next()) {
        kinds.push(item.kind);
        if (item.kind === "live" && item.batch === 2000) break;
      }
      expect(kinds).toContain("gap");
      expect(kinds.length).toBeLessThan(2000);
    });
  });
});

async function behind(url: string): Promise<OpenStore & { readonly proxy: TcpProxy }> {
  const proxy = await tcpProxy(addressOf(url));
  const { store } = await openStore(proxy.through(url));
  return {
    store,
    proxy,
    async [Symbol.asyncDispose]() {
      proxy.heal();
      await store.close();
      await proxy.close();
    },
  };
}

function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port || 6379) };
}
