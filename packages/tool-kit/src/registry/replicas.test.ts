import { availabilityOf, goneSince, keys, SEEN_FOR_MS } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { defineTool } from "../tool/define-tool.ts";
import { readRegistry } from "./read-registry.ts";
import { markSeen, registerToolset } from "./registry.ts";
import { sayGone, sayHere } from "./replicas.ts";
import { toolset } from "../tool/toolset.ts";

const START = 1_800_000_000_000;

describe("a replica that stops", () => {
  it("records, as the last one, that nobody serves its tools from that moment on", async () => {
    await using t = await setup(["a"]);
    t.clock.now += 5000;
    await sayGone(t.store, t.orders, "a");
    expect(await t.gone()).toBe(START + 5000);
    expect(await t.availability()).toBe("asleep");
  });

  it("hides no other one", async () => {
    await using t = await setup(["a", "b"]);
    await sayGone(t.store, t.orders, "a");
    expect([await t.gone(), await t.availability()]).toEqual([null, "ready"]);
    await sayGone(t.store, t.orders, "b");
    expect(await t.gone()).toBe(START);
  });

  it("is the last one if the others have been silent for too long, and not before", async () => {
    await using t = await setup(["killed", "b"]);
    t.clock.now += SEEN_FOR_MS;
    await sayGone(t.store, t.orders, "b");
    expect(await t.gone()).toBeNull();
    await sayHere(t.store, "orders", "b");
    t.clock.now += 1;
    await sayGone(t.store, t.orders, "b");
    expect(await t.gone()).toBe(START + SEEN_FOR_MS + 1);
  });

  it("is forgotten as soon as another one starts, or sends a heartbeat", async () => {
    await using t = await setup(["a"]);
    await sayGone(t.store, t.orders, "a");
    await sayHere(t.store, "orders", "b");
    await registerToolset(t.store, t.orders);
    expect([await t.gone(), await t.availability()]).toEqual([null, "ready"]);
    await sayGone(t.store, t.orders, "b");
    // A worker of an older version, which has no list of replicas, serves the toolset.
    t.clock.now += 1;
    await markSeen(t.store, t.orders, null);
    expect(await t.gone()).toBeNull();
  });

  it("is not a fault if its registration allows scaling to zero, until a deployment withdraws that", async () => {
    await using t = await setup([]);
    const scalesToZero = async () => (await readRegistry(t.store))[0]?.scalesToZero;
    expect(await scalesToZero()).toBeUndefined();
    await registerToolset(t.store, { ...t.orders, scalesToZero: true });
    expect(await scalesToZero()).toBe(true);
    await registerToolset(t.store, t.orders);
    expect(await scalesToZero()).toBeUndefined();
  });

  it("leaves a definition alone that another version of the toolset has registered since", async () => {
    await using t = await setup(["a"]);
    await registerToolset(t.store, ordersThat("Looks it up elsewhere."));
    await sayGone(t.store, t.orders, "a");
    expect(await t.gone()).toBeNull();
  });

  it("does not restore a definition that another version replaces at the same moment", async () => {
    await using t = await setup(["a"]);
    const { read } = t.store;
    // The definition is replaced between the leaving replica's read and its commit.
    Object.assign(t.store, {
      async read(names: readonly string[]) {
        const found = await read(names);
        if (names.includes(keys.replicas("orders"))) {
          Object.assign(t.store, { read });
          await registerToolset(t.store, ordersThat("Looks it up elsewhere."));
        }
        return found;
      },
    });
    await sayGone(t.store, t.orders, "a");
    const [registration] = await readRegistry(t.store);
    expect([registration?.definition.description, await t.gone()]).toEqual(["Looks it up elsewhere.", null]);
  });

  it("does not hide one that starts at the same moment", async () => {
    await using t = await setup(["a"]);
    const leaving = sayGone(t.store, t.orders, "a");
    await sayHere(t.store, "orders", "b");
    await registerToolset(t.store, t.orders);
    await leaving;
    expect([await t.gone(), await t.availability()]).toEqual([null, "ready"]);
  });
});

const ordersThat = (description: string) =>
  toolset({
    name: "orders",
    tools: [
      defineTool({
        name: "look_up",
        kind: "read",
        description,
        parameters: { type: "object", properties: {}, additionalProperties: false },
        run: () => 1,
      }),
    ],
  });

/** Sets up a registered toolset with these replicas. */
async function setup(replicas: readonly string[]) {
  const clock = { now: START };
  const store = memoryStore({ clock: () => clock.now });
  const orders = ordersThat("Looks up.");
  for (const replica of replicas) await sayHere(store, "orders", replica);
  await registerToolset(store, orders);
  const registration = async () => {
    const [found] = await readRegistry(store);
    if (!found) throw new Error(`Nothing is registered beside ${keys.replicas("orders")}.`);
    return found;
  };
  return {
    clock,
    store,
    orders,
    gone: async () => goneSince(await registration(), clock.now),
    availability: async () => availabilityOf(await registration(), clock.now),
    [Symbol.asyncDispose]: () => store.close(),
  };
}
