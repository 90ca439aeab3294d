import { describe, expect, it } from "vitest";
import { backOff } from "./back-off.ts";

describe("the pauses between tries", () => {
  it("double up to the longest, half of each at random, and start again after a successful try", () => {
    const numbers = [0, 0.5, 1, 1, 1, 0];
    const pauses = backOff({ firstMs: 100, longestMs: 400, random: () => numbers.shift() ?? 0 });
    expect([pauses.next(), pauses.next(), pauses.next(), pauses.next(), pauses.next()]).toEqual([50, 150, 400, 400, 400]);
    pauses.reset();
    expect(pauses.next()).toBe(50);
  });
});
