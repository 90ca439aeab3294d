import { describe, expect, it } from "vitest";
import { describeStateStore } from "../conformance/index.ts";
import { memoryStore } from "./memory-store.ts";

describeStateStore("memory", {
  async open() {
    let now = 1_700_000_000_000;
    return { store: memoryStore({ clock: () => now }), advance: (ms) => void (now += ms) };
  },
  features: { durable: false },
});

describe("memory store", () => {
  it("has the number of shards that it was made with, 16 by default", async () => {
    const clock = (): number => 0;
    expect(memoryStore({ clock }).shards).toBe(16);
    const store = memoryStore({ clock, shards: 2 });
    await expect(store.read(["tb:sample:{02}:a"])).rejects.toThrow('There is no shard "02" here: this store has 2, "00" to "01".');
    expect(() => memoryStore({ clock, shards: 257 })).toThrow(RangeError);
  });
});
