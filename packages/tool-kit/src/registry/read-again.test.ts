import { HOME_SHARD, keyOf, keys } from "@toolbus/contracts";
import { memoryStore, type StateStore, StoreUnavailable } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { toolset } from "../tool/toolset.ts";
import { MOST_AGE_MS } from "./read-again.ts";
import { readRegistry } from "./read-registry.ts";
import { markSeen, registerToolset, unregister } from "./registry.ts";

/** A document of the registry's shard that is not a registration. */
const OTHER = keyOf("profile", HOME_SHARD, "other");

const parameters = { type: "object", properties: {}, additionalProperties: false };

function orders(names: readonly string[], description = "Does it.") {
  const tools = names.map((name) => defineTool({ name, kind: "read", description, parameters, run: () => 1 }));
  return toolset({ name: "orders", tools });
}

/** The documents of both tools. */
const BOTH = ["count", "look_up", "pin of count", "pin of look_up"];

/** A store that counts how often its registry is read, and names the documents that were read. */
async function setup() {
  const clock = { now: 1000 };
  const store = memoryStore({ clock: () => clock.now });
  let reads = 0;
  const documents: string[][] = [];
  const nameOf = (key: string): string => /:(\w+)@1$/.exec(key)?.[1] ?? key.replace("tb:pin:{00}:", "pin of ");
  const state: StateStore = {
    ...store,
    page: (index, options) => {
      if (index === keys.registryIndex()) reads++;
      return store.page(index, options);
    },
    read: (all) => {
      documents.push(all.map(nameOf));
      return store.read(all);
    },
    changed: async (...asked) => {
      const reply = await store.changed(...asked);
      documents.push(reply.changed ? [...reply.changed.keys()].map(nameOf) : ["unknown"]);
      return reply;
    },
  };
  await registerToolset(store, orders(["look_up", "count"]));
  return {
    state,
    store,
    clock,
    reads: () => reads,
    /** The documents of each read since the last call. */
    documents: () => documents.splice(0),
    names: async () => (await readRegistry(state)).map(({ definition }) => `${definition.name}: ${definition.description}`),
  };
}

describe("a process that has read the registry", () => {
  it("reads it once for many runs, and gives them the same objects", async () => {
    const t = await setup();
    const lists = [];
    for (let n = 0; n < 5; n++) lists.push(await readRegistry(t.state));
    expect(t.reads()).toBe(1);
    expect(new Set(lists).size).toBe(1);
  });

  it("reads it once for runs that begin at the same moment", async () => {
    const t = await setup();
    await Promise.all(Array.from({ length: 32 }, () => readRegistry(t.state)));
    expect(t.reads()).toBe(1);
  });

  it("sees a tool that was added, changed or removed at the next read", async () => {
    const t = await setup();
    expect(await t.names()).toEqual(["count: Does it.", "look_up: Does it."]);
    await registerToolset(t.state, orders(["look_up", "count", "pay_no_one"]));
    expect(await t.names()).toEqual(["count: Does it.", "look_up: Does it.", "pay_no_one: Does it."]);
    await registerToolset(t.state, orders(["look_up"], "Does it better."));
    expect(await t.names()).toContain("look_up: Does it better.");
    await unregister(t.state, "orders", "look_up", "1");
    expect(await t.names()).toEqual(["count: Does it.", "pay_no_one: Does it."]);
  });

  it("reads only the registrations that have changed, and keeps the objects of the others", async () => {
    const t = await setup();
    const before = await readRegistry(t.state);
    expect(t.documents()).toEqual([BOTH]);
    await registerToolset(t.store, orders(["look_up", "pay_no_one"], "Does it better."));
    const after = await readRegistry(t.state);
    expect(t.documents()).toEqual([["look_up", "pay_no_one"]]);
    expect(after.map(({ definition }) => `${definition.name}: ${definition.description}`)).toEqual([
      "count: Does it.",
      "look_up: Does it better.",
      "pay_no_one: Does it better.",
    ]);
    expect(after[0]).toBe(before[0]);
    await unregister(t.store, "orders", "count", "1");
    expect((await readRegistry(t.state)).map(({ definition }) => definition.name)).toEqual(["look_up", "pay_no_one"]);
    expect(t.documents()).toEqual([[]]);
  });

  it("gives the same list after a commit that changed no registration", async () => {
    const t = await setup();
    const before = await readRegistry(t.state);
    for (let n = 0; n < 3; n++) {
      await t.store.commit(HOME_SHARD, {
        op: `touch ${n}`,
        guards: [{ key: OTHER, version: n === 0 ? 0 : n + 1 }],
        put: [{ key: OTHER, value: n }],
      });
      expect(await readRegistry(t.state)).toBe(before);
    }
    expect(t.documents()).toEqual([BOTH, [], [], []]);
  });

  it("forgets a name that left the index while another one came whose document is missing", async () => {
    const t = await setup();
    expect(await t.names()).toHaveLength(2);
    await t.store.commit(HOME_SHARD, {
      op: "exchange",
      guards: [{ key: OTHER, version: 0 }],
      put: [{ key: OTHER, value: 1 }],
      index: [
        { index: keys.registryIndex(), member: "orders/count@1", score: null },
        { index: keys.registryIndex(), member: "orders/other@1", score: 0 },
      ],
    });
    expect(await t.names()).toEqual(["look_up: Does it."]);
  });

  it("reads everything if the store does not have the commit of the earlier read", async () => {
    const t = await setup();
    await readRegistry(t.state);
    const restored: StateStore = { ...t.state, changed: async () => ({ now: t.clock.now, changed: null }) };
    await readRegistry(restored);
    await t.store.commit(HOME_SHARD, { op: "touch", guards: [{ key: OTHER, version: 0 }], put: [{ key: OTHER, value: 1 }] });
    t.documents();
    expect(await readRegistry(restored)).toHaveLength(2);
    expect(t.documents()).toEqual([BOTH]);
  });

  it("reads everything again after ten seconds, also if it has read changes since", async () => {
    const t = await setup();
    await readRegistry(t.state);
    t.clock.now += MOST_AGE_MS - 1;
    await t.store.commit(HOME_SHARD, { op: "touch", guards: [{ key: OTHER, version: 0 }], put: [{ key: OTHER, value: 1 }] });
    await readRegistry(t.state);
    t.clock.now += 1;
    await readRegistry(t.state);
    expect(t.documents()).toEqual([BOTH, [], BOTH]);
  });

  it("sees what another process changes in its own way, as one of an older release does", async () => {
    const t = await setup();
    await t.names();
    const key = keys.registration("orders", "count", "1");
    const { documents } = await t.store.read([key]);
    await t.store.commit(HOME_SHARD, {
      op: "older",
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value: { ...(documents[0]?.value as object), unavailable: { since: 1, reason: "It is down." } } }],
    });
    expect((await readRegistry(t.state)).map(({ unavailable }) => unavailable?.reason)).toEqual(["It is down.", undefined]);
  });

  it("sees a heartbeat of a worker", async () => {
    const t = await setup();
    await t.names();
    t.clock.now += 60_000;
    await readRegistry(t.state);
    await markSeen(t.state, orders(["look_up", "count"]), "It is down.");
    expect((await readRegistry(t.state)).map(({ lastSeenAt, unavailable }) => [lastSeenAt, unavailable?.reason])).toEqual([
      [61_000, "It is down."],
      [61_000, "It is down."],
    ]);
  });

  it("sees a change that is committed while it reads", async () => {
    const t = await setup();
    let during = async (): Promise<void> => undefined;
    const state: StateStore = {
      ...t.state,
      read: async (all) => {
        const reply = await t.store.read(all);
        await during();
        return reply;
      },
    };
    during = async () => {
      during = async () => undefined;
      await registerToolset(t.store, orders(["look_up", "count"], "Does it better."));
    };
    await readRegistry(state);
    expect((await readRegistry(state)).map(({ definition }) => definition.description)).toEqual(["Does it better.", "Does it better."]);
  });

  it("reads it again after ten seconds, because a document can also be changed without a commit", async () => {
    const t = await setup();
    await t.names();
    t.clock.now += MOST_AGE_MS - 1;
    await t.names();
    expect(t.reads()).toBe(1);
    t.clock.now += 1;
    await t.names();
    expect(t.reads()).toBe(2);
  });

  it("reads it again if the store's clock went back", async () => {
    const t = await setup();
    await t.names();
    t.clock.now -= 1;
    await t.names();
    expect(t.reads()).toBe(2);
  });

  it("reads it each time if the store does not know its last commit", async () => {
    const t = await setup();
    const state: StateStore = { ...t.state, head: async () => ({ now: t.clock.now, last: null }) };
    for (let n = 0; n < 3; n++) await readRegistry(state);
    expect(t.reads()).toBe(3);
  });

  it("tells commits with the same number apart by their marks, as a store that lost commits has them", async () => {
    const t = await setup();
    let mark = "before";
    const state: StateStore = { ...t.state, head: async () => ({ now: t.clock.now, last: { commit: 7, mark } }) };
    await readRegistry(state);
    mark = "after";
    await readRegistry(state);
    expect(t.reads()).toBe(2);
  });

  it("fails as the store does, and reads again afterwards", async () => {
    const t = await setup();
    let isDown = true;
    const state: StateStore = {
      ...t.state,
      read: (all) => (isDown ? Promise.reject(new StoreUnavailable("It is silent.")) : t.store.read(all)),
    };
    const both = await Promise.allSettled([readRegistry(state), readRegistry(state)]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    isDown = false;
    expect(await readRegistry(state)).toHaveLength(2);
  });

  it("warns at each read of a registration that it cannot read", async () => {
    const t = await setup();
    const key = keys.registration("orders", "count", "1");
    const { documents } = await t.store.read([key]);
    await t.store.commit(HOME_SHARD, {
      op: "x",
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value: "nonsense" }],
    });
    const warned: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void warned.push(fields) };
    await readRegistry(t.state, log);
    await readRegistry(t.state, log);
    expect(warned).toEqual(Array.from({ length: 2 }, () => ({ toolset: "orders", tool: "count", version: "1" })));
  });

  it("gives objects that nobody can change", async () => {
    const t = await setup();
    const list = await readRegistry(t.state);
    expect(Object.isFrozen(list) && list.every((one) => Object.isFrozen(one))).toBe(true);
  });
});
