import { describeOnPrivateServer } from "@toolbus/testing/servers";
import { afterEach, beforeEach, expect, it } from "vitest";
import { scratch, type Scratch } from "../e2e/testing/scratch.ts";
import { keepCopy, putBack } from "./older-copy.ts";
import { redisClient, type RedisClient } from "./redis-client.ts";
import { rolledBackSystem } from "./rolled-back-system.ts";

describeOnPrivateServer("redis", "services on a Redis that was restored from an older copy", (server) => {
  let files: Scratch;
  beforeEach(async () => {
    files = scratch();
    await using client = await redisClient(server().url);
    await client.ask("FLUSHALL");
  });
  afterEach(() => files.remove());

  it("void the earlier grants, hold writes that cannot be repeated safely until they are resumed, and continue with the rest", async () => {
    await using system = await rolledBackSystem(server().url, files);
    const { effects, shard, callId } = system;
    expect(await system.invoke("pay", 0, await system.grant("pay", 0))).toMatchObject({ status: "ok" });
    await withClient(keepCopy);

    const lost = await system.grant("pay", 1);
    expect(await system.invoke("pay", 1, lost)).toMatchObject({ status: "ok" });
    const old = { pay: await system.grant("pay", 2), keyed: await system.grant("pay_by_key", 3) };
    await withClient(putBack);
    await server().kill();
    await server().start();
    await system.reconnected();

    // The ledger row of this call is lost. The worker notices the loss with the commit that would have begun the call a second time.
    const again = await system.invoke("pay", 1, lost);
    expect(again).toMatchObject({ status: "outcome_unknown", text: expect.stringContaining(`toolbus era resume ${shard}`) });
    const era = await system.era((stored) => stored !== null);
    expect(era).toMatchObject({ lost: [{ shard }] });

    expect(await system.invoke("pay", 2, old.pay)).toMatchObject({ status: "grant_stale" });
    expect(await system.invoke("pay_by_key", 3, old.keyed)).toMatchObject({ status: "grant_stale" });
    expect(await system.invoke("pay", 2, await system.grant("pay", 2))).toMatchObject({ status: "outcome_unknown" });
    expect(await system.invoke("pay_by_key", 3, await system.grant("pay_by_key", 3))).toMatchObject({ status: "ok" });
    expect(effects).toEqual([0, 1, 3].map(callId));

    expect(await system.resume([shard])).toBe(200);
    expect(await system.invoke("pay", 4, await system.grant("pay", 4))).toMatchObject({ status: "ok" });
    expect(effects).toEqual([0, 1, 3, 4].map(callId));
    // Approvals raised the era only once, although several processes may have reported the loss.
    expect((await system.era(() => true))?.era).toBe(era?.era);
  });

  async function withClient(use: (client: RedisClient) => Promise<void>): Promise<void> {
    await using client = await redisClient(server().url);
    await use(client);
  }
});
