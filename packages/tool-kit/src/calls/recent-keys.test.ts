import { describe, expect, it } from "vitest";
import { recentKeys } from "./recent-keys.ts";

const numbers = (from: number, to: number): readonly string[] => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe("the recent keys", () => {
  it("are at least the last half of the most, and never more than the most", () => {
    for (const added of numbers(1, 60).map(Number)) {
      const keys = recentKeys(10);
      for (const key of numbers(1, added)) keys.add(key);
      const known = numbers(1, added).filter((key) => keys.delete(key));
      expect(known).toEqual(numbers(added - known.length + 1, added));
      expect(known.length).toBeGreaterThanOrEqual(Math.min(added, 5));
      expect(known.length).toBeLessThanOrEqual(10);
    }
  });

  it("know a key once, also if it was added twice", () => {
    const keys = recentKeys(4);
    for (const key of ["a", "b", "a"]) keys.add(key);
    expect([keys.delete("a"), keys.delete("a"), keys.delete("b"), keys.delete("c")]).toEqual([true, false, true, false]);
  });
});
