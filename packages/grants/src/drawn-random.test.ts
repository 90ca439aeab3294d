import { describe, expect, it } from "vitest";
import { drawnRandom } from "./drawn-random.ts";

describe("randomness that is drawn ahead", () => {
  it("gives as many bytes as are asked for, across the end of what was drawn and beyond its size", () => {
    const random = drawnRandom();
    const sizes = [1, 32, 4095, 4096, 4097, 100_000, 0, 16];
    expect(sizes.map((size) => random(size).length)).toEqual(sizes);
  });

  it("gives no bytes twice, to one who keeps them and another who draws on", () => {
    const random = drawnRandom();
    const kept = Array.from({ length: 2000 }, () => random(16));
    const texts = kept.map((bytes) => Buffer.from(bytes).toString("hex"));
    expect(new Set(texts).size).toBe(2000);
    const others = Array.from({ length: 2000 }, () => Buffer.from(random(16)).toString("hex"));
    expect(new Set([...texts, ...others]).size).toBe(4000);
    expect(kept.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual(texts);
  });
});
