import { connectState } from "@toolbus/state";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { defineTool, readRegistry, registerToolset, toolset } from "@toolbus/tool-kit";
import { beforeEach, expect, it } from "vitest";
import { keepCopy, putBack } from "./older-copy.ts";
import { redisClient, type RedisClient } from "./redis-client.ts";

describeOnPrivateServer("redis", "a process that reads the registry again on Redis", (server) => {
  beforeEach(() => withClient(async (client) => void (await client.ask("FLUSHALL"))));

  it("sees what other processes made of a store that lost commits, although the new commits have the numbers of the lost ones", async () => {
    const [reader, writer] = await Promise.all([
      connectState(server().url, { clock: Date.now }),
      connectState(server().url, { clock: Date.now }),
    ]);
    const latecomer = await connectState(server().url, { clock: Date.now });
    try {
      const seen = async () => (await readRegistry(reader)).map(({ definition }) => definition.description);
      await registerToolset(writer, orders("First."));
      await withClient(keepCopy);
      await registerToolset(writer, orders("Lost."));
      const lost = await reader.head("00");
      expect(await seen()).toEqual(["Lost."]);
      await withClient(putBack);
      // A process that has seen no lost commit makes one with the same number.
      await registerToolset(latecomer, orders("Second."));
      const { last } = await reader.head("00");
      expect(last?.commit).toBe(lost.last?.commit);
      expect(last?.mark).not.toBe(lost.last?.mark);
      expect(await seen()).toEqual(["Second."]);
    } finally {
      for (const store of [reader, writer, latecomer]) await store.close();
    }
  });

  it("reads the registry of a store whose counter somebody destroyed", async () => {
    const reader = await connectState(server().url, { clock: Date.now });
    try {
      await registerToolset(reader, orders("First."));
      await withClient(async (client) => void (await client.ask("SET", "tb:commits:{00}", "nonsense")));
      expect((await reader.head("00")).last).toBeNull();
      expect(await readRegistry(reader)).toHaveLength(1);
    } finally {
      await reader.close();
    }
  });

  async function withClient(use: (client: RedisClient) => Promise<void>): Promise<void> {
    await using client = await redisClient(server().url);
    await use(client);
  }
});

function orders(description: string) {
  const parameters = { type: "object", properties: {}, additionalProperties: false };
  return toolset({ name: "orders", tools: [defineTool({ name: "look_up", kind: "read", description, parameters, run: () => 1 })] });
}
