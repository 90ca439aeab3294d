import { describe, expect, it } from "vitest";
import { drawnRandom } from "./drawn-random.ts";

describe("prefetched randomness", () => {
  it("returns as many bytes as requested, across the end of the buffer and beyond its size", () => {
    const random = drawnRandom();
    const sizes = [1, 32, 4095, 4096, 4097, 100_000, 0, 16];
    expect(sizes.map((size) => random(size).length)).toEqual(sizes);
  });

  it("never returns a byte twice, neither to a caller who keeps them nor to another one", () => {
    const random = drawnRandom();
    const kept = Array.from({ length: 2000 }, () => random(16));
    const texts = kept.map((bytes) => Buffer.from(bytes).toString("hex"));
    expect(new Set(texts).size).toBe(2000);
    const others = Array.from({ length: 2000 }, () => Buffer.from(random(16)).toString("hex"));
    expect(new Set([...texts, ...others]).size).toBe(4000);
    expect(kept.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual(texts);
  });
});
