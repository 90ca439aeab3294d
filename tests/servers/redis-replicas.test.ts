import { connectState, StoreUnavailable } from "@toolbus/state";
import { describeOnPrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { HERE, put } from "./sample-changes.ts";

describeOnPrivateServer("redis", "a commit that is to be on a replica", (server) => {
  it("is answered when it is, and unavailable when it is not: repeated later, it is the same commit", async () => {
    await using replica = await startPrivateServer("redis", { settings: { replicaof: `127.0.0.1 ${server().port}` } });
    const store = await connectState(`${server().url}?replicas=1`, { clock: Date.now, connectForMs: 10_000 });
    try {
      await using client = await redisClient(server().url);
      // The replica is there when one WAIT has reached it.
      await client.ask("SET", "a", "1");
      expect(await client.ask("WAIT", "1", "10000")).toBe(1);
      const replies = await Promise.all(["a", "b", "c"].map((name) => store.commit(HERE, put(name))));
      expect(replies.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
      await replica.pause();
      const alone = put("d");
      await expect(store.commit(HERE, alone)).rejects.toThrow(
        new StoreUnavailable(`Redis at 127.0.0.1:${server().port} has what was written on 0 replicas after 200 ms, not on 1: repeat it.`),
      );
      await replica.resume();
      expect(await store.commit(HERE, alone)).toMatchObject({ outcome: "ok", commit: 4 });
    } finally {
      await store.close();
    }
  });
});
