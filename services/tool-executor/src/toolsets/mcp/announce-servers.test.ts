import { listenTo, memoryBus } from "@toolbus/bus";
import { type IndexedServer, McpServersIndexed, type Message, message, messageTypes, parser, topics } from "@toolbus/contracts";
import { createLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { announceServers } from "./announce-servers.ts";

const log = createLog({ name: "test", level: "silent" });
const memory: IndexedServer = { name: "memory", tools: 9, available: true, indexedAt: 5 };

async function setup(indexed: () => readonly IndexedServer[] = () => [memory]) {
  const bus = memoryBus({});
  const heard: McpServersIndexed[] = [];
  let told = Promise.withResolvers<void>();
  await listenTo(bus, {
    topic: topics.mcpServersIndexed,
    types: [messageTypes.mcpServersIndexed],
    parse: parser(McpServersIndexed),
    listener: (_, body: McpServersIndexed) => {
      heard.push(body);
      told.resolve();
    },
    log,
  });
  let asked = 0;
  const received = Promise.withResolvers<void>();
  const announced = await announceServers({ indexed, toolset: { name: "mcp" } as never }, { bus, clock: () => 7, log });
  // This listener is told after the one of the bridge.
  await bus.listen(topics.mcpMetadataRefresh, () => received.resolve());
  return {
    announced,
    heard,
    received: received.promise,
    refresh(): Promise<void> {
      const parts = {
        topic: topics.mcpMetadataRefresh,
        type: messageTypes.mcpMetadataRefresh,
        source: "/agents/default",
        now: 7,
        body: {},
      };
      return bus.announce(message({ ...parts, id: `mcp-refresh:default#${++asked}` }) satisfies Message);
    },
    /** Resolves after the next announcement. */
    async next(): Promise<void> {
      await told.promise;
      told = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      await announced.stop();
      await bus.close();
    },
  };
}

describe("the servers of a bridge", () => {
  it("are announced when the bridge is told to, and again to an agent that asks", async () => {
    await using t = await setup();
    await t.announced.announce();
    await t.next();
    await t.refresh();
    await t.next();
    expect(t.heard).toEqual([{ servers: [memory] }, { servers: [memory] }]);
  });

  it("are not announced to an agent that asks before they are registered", async () => {
    let asked = 0;
    await using t = await setup(() => (asked++, [memory]));
    await t.refresh();
    await t.received;
    expect(asked).toBe(0);
    await t.announced.announce();
    await t.next();
    expect([asked, t.heard.length]).toEqual([1, 1]);
  });

  it("are announced up to the number for which a message has room", async () => {
    const many = Array.from({ length: 600 }, (_, n) => ({ ...memory, name: `${"世".repeat(90)}${n}` }));
    await using t = await setup(() => many);
    await t.announced.announce();
    await t.next();
    expect(t.heard[0]?.servers).toHaveLength(500);
  });
});
