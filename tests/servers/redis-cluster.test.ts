import { setTimeout as wait } from "node:timers/promises";
import { connectState } from "@toolbus/state";
import { describeStateStore } from "@toolbus/state/conformance";
import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { beforeAll, describe, expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { redisSpace } from "./redis-space.ts";

const settings = { "cluster-enabled": "yes", "cluster-announce-ip": "127.0.0.1" };

describeOnPrivateServer(
  "redis",
  "the contract on a cluster",
  (server) => {
    beforeAll(() => giveAllSlots(server().url));
    const space = redisSpace(server);
    describeStateStore("redis cluster", { open: space.open, features: { durable: true } });

    describe("a URL for a cluster", () => {
      it("may not ask for replicas, which its nodes are told", async () => {
        await expect(connectState(`${space.urlOf("x")}&replicas=1`, { clock: Date.now })).rejects.toThrow(
          "belongs to a cluster, where replicas= is not known: set min-replicas-to-write on its nodes.",
        );
      });

      it("may not name a database, because a cluster has one", async () => {
        const url = new URL(space.urlOf("x"));
        url.pathname = "/1";
        await expect(connectState(url.href, { clock: Date.now })).rejects.toThrow("leave the path of the URL away");
      });
    });
  },
  { settings },
);

async function giveAllSlots(url: string): Promise<void> {
  await using client = await redisClient(url);
  await client.ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
  // The node tells nobody when it has taken them in.
  for (const end = AbortSignal.timeout(10_000); !String(await client.ask("CLUSTER", "INFO")).includes("cluster_state:ok");) {
    end.throwIfAborted();
    await wait(20);
  }
}
