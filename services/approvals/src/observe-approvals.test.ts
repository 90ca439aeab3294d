import { keys, shardName } from "@toolbus/contracts";
import { memoryStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { countPending, oldestPending } from "./observe-approvals.ts";

describe("the gauges of the writes that wait for people", () => {
  it("are how many wait and for how long the oldest has, over all shards, and 0 if none waits", async () => {
    let now = 1_750_000_000_000;
    const state = memoryStore({ clock: () => now });
    const gauges = async () => [await countPending(state), await oldestPending(state, () => now)];
    expect(await gauges()).toEqual([0, 0]);
    const set = async (shard: number, member: string, score: number | null): Promise<void> => {
      const key = `tb:sample:{${shardName(shard)}}:${member}:${score}`;
      await state.commit(shardName(shard), {
        op: key,
        guards: [{ key, version: 0 }],
        put: [{ key, value: 1 }],
        index: [{ index: keys.pendingApprovals(), member, score }],
      });
    };
    await set(5, "second", now - 30_000);
    await set(2, "oldest", now - 90_000);
    now += 10_000;
    expect(await gauges()).toEqual([2, 100]);
    await set(2, "oldest", null);
    expect(await gauges()).toEqual([1, 40]);
    await state.close();
  });
});
