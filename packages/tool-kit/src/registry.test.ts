import { HOME_SHARD, keys } from "@toolbus/contracts";
import { memoryStore, type StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { defineTool } from "./define-tool.ts";
import { readRegistry, RegistryConflict, registerToolset, unregister } from "./registry.ts";
import { toolset } from "./toolset.ts";

function tools(name: string, names: readonly string[], version = "1", description = "Does it.") {
  return toolset({
    name,
    tools: names.map((tool) =>
      defineTool({ name: tool, version, kind: "read", description, parameters: { type: "object" }, run: () => 1 }),
    ),
  });
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

  it("takes a second replica, a second version and a changed definition as no duplicates", async () => {
    const { state, registered } = setup();
    await Promise.all([registerToolset(state, tools("orders", ["look_up"])), registerToolset(state, tools("orders", ["look_up"]))]);
    await registerToolset(state, tools("orders", ["look_up"], "2"));
    await registerToolset(state, tools("orders", ["look_up"], "1", "Does it better."));
    expect(await registered()).toEqual(["orders/look_up@1", "orders/look_up@2"]);
    expect((await readRegistry(state))[0]?.definition.description).toBe("Does it better.");
  });

  it("refuses a name of another toolset, and registers nothing of the one that asked", async () => {
    const { state, registered } = setup();
    await registerToolset(state, tools("orders", ["look_up"]));
    await expect(registerToolset(state, tools("billing", ["count", "look_up"]))).rejects.toThrow(
      'The tool "look_up" of the toolset "billing" is registered by the toolset "orders" already; rename it, or unregister that one first.',
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

  it("keeps the first owner although it registers again while a latecomer checks", async () => {
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

/** Lets the racers interleave differently in every round. */
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
