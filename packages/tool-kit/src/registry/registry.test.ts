import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HOME_SHARD, keys, REPLACED_KEPT_MS, SEEN_EVERY_MS } from "@toolbus/contracts";
import { toolHash } from "@toolbus/grants";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog, startTelemetry } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { readRegistry } from "./read-registry.ts";
import { markSeen, RegistryConflict, registerToolset, unregister } from "./registry.ts";
import { type Toolset, toolset } from "../tool/toolset.ts";

function tools(name: string, names: readonly string[], version = "1", description = "Does it.") {
  return toolset({ name, tools: names.map((one) => tool(one, version, description)) });
}

const parameters = { type: "object", properties: {}, additionalProperties: false };

function tool(name: string, version = "1", description = "Does it.") {
  return defineTool({ name, version, kind: "read", description, parameters, run: () => 1 });
}

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("It is not there.");
  return value;
}

/** Returns the replaced definition that is stored for the first tool of a toolset. */
async function replaced(state: StateStore, { name, list }: Toolset) {
  const { documents } = await state.read([keys.replacedDefinition(name, list()[0]?.hash ?? "")]);
  return documents[0]?.value ?? null;
}

function setup() {
  const clock = { now: 1000 };
  const state = memoryStore({ clock: () => clock.now });
  return {
    state,
    clock,
    registered: async () =>
      (await readRegistry(state)).map(({ toolset: owner, definition }) => `${owner}/${definition.name}@${definition.version}`),
  };
}

describe("the stored registry", () => {
  it("keeps what was registered, with definition and hash", async () => {
    const { state } = setup();
    const orders = tools("orders", ["look_up", "count"]);
    await registerToolset(state, orders);
    const all = await readRegistry(state);
    expect(all.map(({ definition }) => definition.name)).toEqual(["count", "look_up"]);
    expect(all[1]).toMatchObject({ toolset: "orders", hash: orders.find("look_up")?.hash, registeredAt: 1000 });
  });

  it("records each change of a toolset with hundreds of tools", async () => {
    const { state } = setup();
    const names = Array.from({ length: 1100 }, (_, n) => `tool_${String(n).padStart(4, "0")}`);
    const many = tools("many", names);
    const reasons = async () => new Set((await readRegistry(state)).map(({ unavailable }) => unavailable?.reason));
    await registerToolset(state, many);
    await registerToolset(state, many, { unavailable: "It is down." });
    expect(await reasons()).toEqual(new Set(["It is down."]));
    await registerToolset(state, many);
    expect(await reasons()).toEqual(new Set([undefined]));
    const last = must(names.at(-1));
    await registerToolset(
      state,
      toolset({ name: "many", tools: names.map((one) => tool(one, "1", one === last ? "Does more." : "Does it.")) }),
    );
    expect((await readRegistry(state)).at(-1)?.definition).toMatchObject({ name: last, description: "Does more." });
  });

  it("has each tool's name, description, parameters and source: that of its author, or the toolset", async () => {
    const { state } = setup();
    const properties = { city: { type: "string", maxLength: 80 } };
    const forecast = { ...tool("forecast", "1", "Tells the weather."), kind: "read" as const };
    const draft = { ...forecast.draft, parameters: { ...parameters, properties }, source: "mcp:weather-server" };
    await registerToolset(state, toolset({ name: "bridge", tools: [{ ...forecast, draft }, tool("look_up")] }));
    expect((await readRegistry(state)).map(({ definition }) => definition)).toMatchObject([
      { name: "forecast", description: "Tells the weather.", parameters: { ...parameters, properties }, source: "mcp:weather-server" },
      { name: "look_up", description: "Does it.", parameters, source: "bridge" },
    ]);
  });

  it("leaves out a tool whose definition is refused, with a line for its author, and registers the others", async () => {
    const { state, registered } = setup();
    const orders = tools("orders", ["look_up", "look_around"]);
    // This is like a toolset that another program created.
    const list = orders.list().map((one) => {
      if (one.definition.name === "look_up") return one;
      return { ...one, definition: { ...one.definition, parameters: { type: "object", properties: { q: { pattern: "a(?!b)" } } } } };
    });
    const lines: string[] = [];
    const log = { ...silentLog, error: (_: object, text: string) => void lines.push(text) };
    await registerToolset(state, { ...orders, list: () => list }, { log });
    expect(await registered()).toEqual(["orders/look_up@1"]);
    expect(lines).toEqual([
      expect.stringMatching(
        /^"look_around@1" is quarantined: its definition is refused at \/parameters\/properties\/q\/pattern\. .+ It is not registered\.$/,
      ),
    ]);
  });

  it("counts a refused definition by its toolset", async () => {
    const { state } = setup();
    const orders = tools("orders", ["look_up"]);
    const list = orders.list().map((one) => ({ ...one, definition: { ...one.definition, parameters: { $ref: "https://else.where/x" } } }));
    const finder = createServer();
    await new Promise<void>((resolve) => finder.listen(0, "127.0.0.1", resolve));
    const { port } = finder.address() as AddressInfo;
    await new Promise((resolve) => finder.close(resolve));
    const telemetry = await startTelemetry({
      env: { METRICS_PORT: String(port) },
      serviceName: "worker",
      log: silentLog,
      newKey: () => "k".repeat(43),
      monotonic: () => performance.now(),
    });
    await registerToolset(state, { ...orders, list: () => list });
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).toContain('toolbus_tool_quarantined_total{toolbus_toolset="orders",service_name="worker"} 1');
    await telemetry.shutdown(1000);
  });

  it("leaves out a definition that cannot be hashed, and continues with the others", async () => {
    const { state, registered } = setup();
    await registerToolset(state, tools("orders", ["look_up"]));
    const key = keys.registration("orders", "odd", "1");
    const [look] = await readRegistry(state);
    await state.commit(HOME_SHARD, {
      op: "odd",
      guards: [{ key, version: 0 }],
      put: [{ key, value: { ...look, definition: { ...look?.definition, name: "odd", description: "half a pair: \ud800" } } as never }],
      index: [{ index: keys.registryIndex(), member: "orders/odd@1", score: 0 }],
    });
    expect(await registered()).toEqual(["orders/look_up@1"]);
  });

  it("does not treat a second replica, a second version or a changed definition as duplicates", async () => {
    const { state, registered } = setup();
    await Promise.all([registerToolset(state, tools("orders", ["look_up"])), registerToolset(state, tools("orders", ["look_up"]))]);
    await registerToolset(state, tools("orders", ["look_up"], "2"));
    await registerToolset(state, tools("orders", ["look_up"], "1", "Does it better."));
    expect(await registered()).toEqual(["orders/look_up@1", "orders/look_up@2"]);
    expect((await readRegistry(state))[0]?.definition.description).toBe("Does it better.");
  });

  it("keeps what it replaces under its hash, and says that a new version would have been better", async () => {
    const { state } = setup();
    const lines: string[] = [];
    const log = { ...silentLog, warn: (_: object, text: string) => void lines.push(text) };
    const [before, after] = [tools("orders", ["look_up"]), tools("orders", ["look_up"], "1", "Does it better.")];
    await registerToolset(state, before, { log });
    expect(lines).toEqual([]);
    await registerToolset(state, after, { log });
    expect(lines).toEqual([expect.stringContaining("give a changed tool a new version")]);
    expect(await replaced(state, before)).toMatchObject({ definition: { description: "Does it." }, replacedAt: 1000 });
    expect(await replaced(state, after)).toBeNull();
    // After a rollback, each definition is kept for the runs that began with it.
    await registerToolset(state, before);
    expect(await replaced(state, after)).toMatchObject({ definition: { description: "Does it better." } });
  });

  it("keeps what was unregistered for as long as a run can last", async () => {
    const { state, clock } = setup();
    const orders = tools("orders", ["look_up"]);
    await registerToolset(state, orders);
    await unregister(state, "orders", "look_up", "1");
    expect(await readRegistry(state)).toEqual([]);
    clock.now += REPLACED_KEPT_MS - 1;
    expect(await replaced(state, orders)).toMatchObject({ hash: orders.find("look_up")?.hash });
    clock.now += 1;
    expect(await replaced(state, orders)).toBeNull();
  });

  it("unregisters a quarantined definition without keeping it, so that one that is too large to keep can end as well", async () => {
    const { state } = setup();
    const { definition: sound } = must(tools("orders", ["look_up"]).list()[0]);
    const definition = { ...sound, parameters: { type: "object", properties: { q: { pattern: "a(?=b)" } } } };
    const hash = toolHash(definition);
    await state.commit(HOME_SHARD, {
      op: "by hand",
      guards: [{ key: keys.registration("orders", "look_up", "1"), version: 0 }],
      put: [
        {
          key: keys.registration("orders", "look_up", "1"),
          value: { toolset: "orders", definition, hash, registeredAt: 1, lastSeenAt: 1 },
        },
      ],
      index: [{ index: keys.registryIndex(), member: "orders/look_up@1", score: 0 }],
    });
    expect(await unregister(state, "orders", "look_up", "1")).toBe(true);
    expect(await readRegistry(state)).toEqual([]);
    const { documents } = await state.read([keys.replacedDefinition("orders", hash)]);
    expect(documents).toEqual([null]);
  });

  it("learns for every version that its workers are alive, and whether it can be used", async () => {
    const { state, clock } = setup();
    const both = toolset({ name: "orders", tools: ["2", "10"].map((version) => tool("look_up", version)) });
    await registerToolset(state, both, { unavailable: "There is no API key." });
    const read = async () => (await readRegistry(state)).map((one) => [one.definition.version, one.lastSeenAt, one.unavailable]);
    const since = (at: number) => ({ since: 1000, reason: at > 50_000 ? "It expired." : "There is no API key." });
    expect(await read()).toEqual([
      ["10", 1000, since(1000)],
      ["2", 1000, since(1000)],
    ]);
    clock.now = 40_000;
    await markSeen(state, both, "There is no API key.");
    expect(await read()).toContainEqual(["2", 40_000, since(40_000)]);
    clock.now = 51_000;
    await markSeen(state, both, "It expired.");
    expect(await read()).toContainEqual(["10", 51_000, since(51_000)]);
    clock.now = 52_000;
    await markSeen(state, both, null);
    expect(await read()).toContainEqual(["10", 52_000, undefined]);
  });

  it("keeps the arguments that its workers declare now, and writes them as soon as they change", async () => {
    const { state, clock } = setup();
    const orders = tools("orders", ["look_up"]);
    const { hash } = must(orders.list()[0]);
    const read = async () => (await readRegistry(state)).map(({ example }) => example);
    await registerToolset(state, orders, { examples: new Map([[hash, '{"id":"1"}']]) });
    expect(await read()).toEqual(['{"id":"1"}']);
    clock.now += 1;
    await registerToolset(state, orders, { examples: new Map([[hash, '{"id":"2"}']]) });
    expect(await read()).toEqual(['{"id":"2"}']);
    clock.now += 1;
    await markSeen(state, orders, null, null, new Map([[hash, '{"id":"3"}']]));
    expect(await read()).toEqual(['{"id":"3"}']);
    clock.now += 1;
    await markSeen(state, orders, null);
    expect(await read()).toEqual([undefined]);
  });

  it("is not written again by replicas that report the same at the same time", async () => {
    const { state, clock } = setup();
    const orders = tools("orders", ["look_up"]);
    await registerToolset(state, orders);
    clock.now += SEEN_EVERY_MS;
    await markSeen(state, orders, null);
    const { documents } = await state.read([keys.registration("orders", "look_up", "1")]);
    clock.now += 1000;
    await markSeen(state, orders, null);
    await registerToolset(state, orders);
    expect((await state.read([keys.registration("orders", "look_up", "1")])).documents).toEqual(documents);
  });

  it("gets back neither an unregistered nor a replaced definition from a heartbeat", async () => {
    const { state, clock } = setup();
    const [before, after] = [tools("orders", ["look_up", "count"]), tools("orders", ["look_up"], "1", "Does it better.")];
    await registerToolset(state, before);
    await registerToolset(state, after);
    await unregister(state, "orders", "count", "1");
    clock.now += SEEN_EVERY_MS;
    await markSeen(state, before, null);
    const all = await readRegistry(state);
    expect(all.map(({ definition, lastSeenAt }) => [definition.description, lastSeenAt])).toEqual([["Does it better.", 1000]]);
  });

  it("counts the names of another toolset, and names up to five of them", async () => {
    const { state } = setup();
    const names = ["a", "b", "c", "d", "e", "f", "g"].map((one) => `look_${one}`);
    await registerToolset(state, tools("orders", names));
    await expect(registerToolset(state, tools("billing", names))).rejects.toThrow(
      '7 tools of the toolset "billing" are already registered by the toolset "orders" ("look_a", "look_b", "look_c", "look_d", "look_e" and 2 more); rename them, or unregister those first.',
    );
  });

  it("refuses a name of another toolset, and registers nothing of the toolset that asked", async () => {
    const { state, registered } = setup();
    await registerToolset(state, tools("orders", ["look_up"]));
    await expect(registerToolset(state, tools("billing", ["count", "look_up"]))).rejects.toThrow(
      'The tool "look_up" of the toolset "billing" is already registered by the toolset "orders"; rename it, or unregister that one first.',
    );
    expect(await registered()).toEqual(["orders/look_up@1"]);
  });

  it("has one owner in the end when two toolsets race for a name", async () => {
    for (let round = 0; round < 20; round++) {
      const { state, registered } = setup();
      const racing = await Promise.allSettled(
        ["a", "b", "c"].map((name) => registerToolset(jittery(state, round), tools(name, ["look_up"]))),
      );
      expect(racing.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(racing.filter((outcome) => outcome.status === "rejected" && outcome.reason instanceof RegistryConflict)).toHaveLength(2);
      expect(await registered()).toHaveLength(1);
    }
  });

  it("keeps the first owner even if it registers again while a latecomer checks", async () => {
    const { state, registered } = setup();
    await registerToolset(state, tools("orders", ["look_up"]));
    await registerToolset(state, tools("orders", ["look_up"], "1", "Newer."));
    await expect(registerToolset(state, tools("billing", ["look_up"]))).rejects.toThrow(RegistryConflict);
    expect(await registered()).toEqual(["orders/look_up@1"]);
  });

  it("frees a name with its last version", async () => {
    const { state } = setup();
    await registerToolset(state, tools("orders", ["look_up"]));
    await registerToolset(state, tools("orders", ["look_up"], "2"));
    expect(await unregister(state, "orders", "look_up", "1")).toBe(true);
    await expect(registerToolset(state, tools("billing", ["look_up"]))).rejects.toThrow(RegistryConflict);
    expect(await unregister(state, "orders", "look_up", "2")).toBe(true);
    expect(await unregister(state, "orders", "look_up", "2")).toBe(false);
    await registerToolset(state, tools("billing", ["look_up"]));
  });

  it("leaves out a document that cannot be read or whose hash is not its own", async () => {
    const { state, registered } = setup();
    await registerToolset(state, tools("orders", ["look_up", "count"]));
    const key = keys.registration("orders", "count", "1");
    const { documents } = await state.read([key]);
    const stored = documents[0];
    await state.commit(HOME_SHARD, {
      op: "x",
      guards: [{ key, version: stored?.version ?? 0 }],
      put: [{ key, value: { ...(stored?.value as object), hash: "sha256-other" } }],
    });
    expect(await registered()).toEqual(["orders/look_up@1"]);
  });
});

/** Returns a store with which the racers interleave differently in every round. */
function jittery(state: StateStore, seed: number): StateStore {
  let n = seed;
  const turns = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let i = (n = (n * 7 + 3) % 11); i > 0; i--) await Promise.resolve();
    return work();
  };
  return {
    ...state,
    read: (all) => turns(() => state.read(all)),
    commit: (shard, change) => turns(() => state.commit(shard, change)),
    page: (index, options) => turns(() => state.page(index, options)),
  };
}
