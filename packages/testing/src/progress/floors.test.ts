import { describe, expect, it } from "vitest";
import { FEWEST_SEEDS, missedFloors } from "./floors.ts";
import { emptyTally, type Tally, type Work, WORKS } from "./tally.ts";

const enough = (seeds: number): Tally => ({
  work: Object.fromEntries(WORKS.map((name) => [name, 10 * seeds])) as Record<Work, number>,
  ends: {},
});
const without = (name: Work, seeds: number): Tally => ({ ends: {}, work: { ...enough(seeds).work, [name]: 0 } });

describe("the minimum work", () => {
  it("is required from sixty seeds on, because chance explains anything in fewer", () => {
    expect(missedFloors(emptyTally(), FEWEST_SEEDS - 1)).toEqual([]);
    expect(missedFloors(emptyTally(), FEWEST_SEEDS).length).toBeGreaterThan(10);
  });

  it.each(WORKS)("is required of %s", (name) => {
    expect(missedFloors(enough(600), 600)).toEqual([]);
    expect(missedFloors(without(name, 600), 600)).toContainEqual(
      expect.stringMatching(/^floor missed: .*: 0 in 600 seeds, 0\.00 per seed, and [\d.]+ is the least$/),
    );
  });

  it("is required of the share of runs that end done as well", () => {
    const { work } = enough(60);
    expect(missedFloors({ work: { ...work, done: 0.4 * work.runs }, ends: {} }, 60)).toEqual([
      "floor missed: 40 % of the runs ended done, and 45 % is the least",
    ]);
  });
});
