import { describe, expect, it } from "vitest";
import { redisKeys } from "./redis-keys.ts";

describe("the keys of a Redis store", () => {
  const keys = redisKeys(null);
  const inShard = [
    keys.document("tb:a:{0f}:x"),
    keys.log("tb:a:{0f}:x"),
    keys.live("tb:a:{0f}:x"),
    keys.timers("s", "0f"),
    keys.outbox("s", "0f"),
    keys.outboxRows("s", "0f"),
    keys.index("index.a", "0f"),
    keys.commits("0f"),
    keys.marks("0f"),
    keys.feed("0f"),
  ];

  it("are these, because access rules depend on them", () => {
    expect(inShard).toEqual([
      "tb:a:{0f}:x",
      "tb:a:{0f}:x#log",
      "tb:a:{0f}:x#live",
      "tb:timers.s:{0f}",
      "tb:outbox.s:{0f}",
      "tb:outbox.s:{0f}#rows",
      "tb:index.a:{0f}#index",
      "tb:commits:{0f}",
      "tb:marks:{0f}",
      "tb:feed:{0f}",
    ]);
    expect([keys.store, keys.blob("sha256-00")]).toEqual(["tb:store", "tb:blob:sha256-00"]);
  });

  it("never meet", () => {
    expect(new Set(inShard).size).toBe(inShard.length);
  });

  it("begin with the namespace, which changes no slot", () => {
    const named = redisKeys("blue");
    expect(named.document("tb:a:{0f}:x")).toBe("blue:tb:a:{0f}:x");
    expect(named.timers("s", "0f")).toBe("blue:tb:timers.s:{0f}");
    expect(named.store).toBe("blue:tb:store");
  });

  it("keep the shard in the first braces, whatever the name of a service or an index is", () => {
    expect(keys.timers("a{b}c", "0f")).toBe("tb:timers.a%7Bb%7Dc:{0f}");
    expect(keys.index("{", "0f")).toBe("tb:%7B:{0f}#index");
  });
});
