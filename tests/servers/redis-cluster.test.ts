import { setTimeout as wait } from "node:timers/promises";
import { connectState } from "@toolbus/state";
import { describeStateStore } from "@toolbus/state/conformance";
import { describeOnPrivateServer, type PrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { redisSpace } from "./redis-space.ts";

const settings = { "cluster-enabled": "yes", "cluster-announce-ip": "127.0.0.1" };

describeOnPrivateServer(
  "redis",
  "the contract on a cluster of two nodes",
  (server) => {
    let second: PrivateServer | null = null;
    beforeAll(async () => {
      second = await startPrivateServer("redis", { settings });
      await join(server(), second);
    });
    afterAll(() => second?.remove());
    const space = redisSpace(server);
    describeStateStore("redis cluster", { open: space.open, features: { durable: true } });

    describe("a URL for a cluster", () => {
      it("may not ask for replicas, which its nodes configure", async () => {
        await expect(connectState(`${space.urlOf("x")}&replicas=1`, { clock: Date.now })).rejects.toThrow(
          "belongs to a cluster, where replicas= is not known: set min-replicas-to-write on its nodes.",
        );
      });

      it("may not name a database, because a cluster has one", async () => {
        const url = new URL(space.urlOf("x"));
        url.pathname = "/1";
        await expect(connectState(url.href, { clock: Date.now })).rejects.toThrow("remove the path from the URL");
      });
    });
  },
  { settings },
);

/** Gives each node one half of the slots. The shards of a store are on both nodes. */
async function join(one: PrivateServer, two: PrivateServer): Promise<void> {
  await using first = await redisClient(one.url);
  await using second = await redisClient(two.url);
  await first.ask("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
  await second.ask("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
  await first.ask("CLUSTER", "MEET", "127.0.0.1", String(two.port));
  // The nodes do not report when they know each other, so the test polls.
  const end = AbortSignal.timeout(20_000);
  for (const node of [first, second]) {
    while (!/cluster_state:ok[^]*cluster_size:2/.test(String(await node.ask("CLUSTER", "INFO")))) {
      end.throwIfAborted();
      await wait(20);
    }
  }
}
