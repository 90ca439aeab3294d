import { type Change, type CommitReply, connectState, type StateStore, StoreUnavailable } from "@toolbus/state";
import { describeOnPrivateServer, startPrivateServer } from "@toolbus/testing/servers";
import { expect, it } from "vitest";
import { redisClient } from "./redis-client.ts";
import { HERE, put } from "./sample-changes.ts";

describeOnPrivateServer("redis", "a commit that must reach a replica", (server) => {
  it("is answered when it has, and unavailable if it has not: repeated later, it is the same commit", async () => {
    await using replica = await startPrivateServer("redis", { settings: { replicaof: `127.0.0.1 ${server().port}` } });
    const connect = () => connectState(`${server().url}?replicas=1`, { clock: Date.now, connectForMs: 10_000 });
    const store = await connect();
    const other = await connect();
    try {
      await using client = await redisClient(server().url);
      // When WAIT has returned 1, the replica is connected.
      await client.ask("SET", "a", "1");
      expect(await client.ask("WAIT", "1", "10000")).toBe(1);
      const replies = await Promise.all(["a", "b", "c"].map((name) => untilReached(store, put(name))));
      expect(replies.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "ok"]);
      await replica.pause();
      const alone = put("d");
      const onNone = new StoreUnavailable(
        `Redis at 127.0.0.1:${server().port} has the write on 0 replicas after 200 ms, not on 1: repeat it.`,
        { fault: "replicas" },
      );
      await expect(store.commit(HERE, alone)).rejects.toThrow(onNone);
      // This connection has written nothing else. The first connection's write is still on no replica.
      await expect(other.commit(HERE, alone)).rejects.toThrow(onNone);
      await replica.resume();
      expect(await untilReached(store, alone)).toMatchObject({ outcome: "ok", commit: 4 });
    } finally {
      await store.close();
      await other.close();
    }
  });
});

/**
 * Repeats a commit until a replica has it. On a busy machine a replica may need longer than a commit waits. The store then refuses the commit and
 * asks for a repeat.
 */
async function untilReached(store: StateStore, change: Change): Promise<CommitReply> {
  for (let tries = 1; ; tries++) {
    try {
      return await store.commit(HERE, change);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || error.fault !== "replicas" || tries === 50) throw error;
    }
  }
}
