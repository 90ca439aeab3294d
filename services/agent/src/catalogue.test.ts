import { HOME_SHARD, keys, type RunTool } from "@toolbus/contracts";
import { memoryStore, type StateStore } from "@toolbus/state";
import { defineTool, readRegistry, registerToolset, toolset, unregister } from "@toolbus/tool-kit";
import { describe, expect, it } from "vitest";
import { catalogue } from "./catalogue.ts";

const orders = (description: string, version = "1") =>
  toolset({
    name: "orders",
    tools: [
      defineTool({
        name: "look_up",
        version,
        kind: "read",
        description,
        parameters: { type: "object", properties: {}, additionalProperties: false },
        run: () => 1,
      }),
    ],
  });

async function setup() {
  const state = memoryStore({ clock: () => 1000 });
  await registerToolset(state, orders("As it was."));
  const [registration] = await readRegistry(state);
  const run: readonly RunTool[] = [{ name: "look_up", version: "1", hash: registration?.hash ?? "", toolset: "orders" }];
  return { state, described: async (reader = catalogue(state)) => (await reader.toolsOf(run)).get("look_up")?.definition.description };
}

describe("the definitions of a run", () => {
  it("stay the same when its tool is registered again, changed, under the same version", async () => {
    const { state, described } = await setup();
    await registerToolset(state, orders("As it is."));
    expect(await described()).toBe("As it was.");
  });

  it("stay the same when newer versions come, and when its own is unregistered", async () => {
    const { state, described } = await setup();
    await registerToolset(state, orders("Newer.", "2"));
    expect(await described()).toBe("As it was.");
    await unregister(state, "orders", "look_up", "1");
    expect(await described()).toBe("As it was.");
  });

  it("are each run's own if two began with different ones, and one reader serves both", async () => {
    const { state, described } = await setup();
    const reader = catalogue(state);
    expect(await described(reader)).toBe("As it was.");
    await registerToolset(state, orders("As it is."));
    const [registration] = await readRegistry(state);
    const later: readonly RunTool[] = [{ name: "look_up", version: "1", hash: registration?.hash ?? "", toolset: "orders" }];
    expect((await reader.toolsOf(later)).get("look_up")?.definition.description).toBe("As it is.");
    expect(await described(reader)).toBe("As it was.");
  });

  it("are read from the store once per definition", async () => {
    const { state, described } = await setup();
    let reads = 0;
    const counting: StateStore = { ...state, read: (all) => (reads++, state.read(all)) };
    const reader = catalogue(counting);
    expect(await described(reader)).toBe(await described(reader));
    expect(reads).toBe(1);
  });

  it("are never taken from a document whose hash is not its own", async () => {
    const { state, described } = await setup();
    const key = keys.registration("orders", "look_up", "1");
    const { documents } = await state.read([key]);
    const stored = documents[0]?.value as { definition: object };
    await state.commit(HOME_SHARD, {
      op: "forge",
      guards: [{ key, version: documents[0]?.version ?? 0 }],
      put: [{ key, value: { ...stored, definition: { ...stored.definition, description: "Forged." } } as never }],
    });
    expect(await described()).toBeUndefined();
  });
});
