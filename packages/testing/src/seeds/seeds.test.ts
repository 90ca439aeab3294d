import { describe, expect, it } from "vitest";
import { FAULT_NAMES } from "../ports/faults.ts";
import { historyHash, historyOf, historyText } from "./history.ts";
import { regressions } from "./regressions.ts";
import { FEWEST_SEEDS, missedFloors } from "../progress/floors.ts";
import { emptyTally, sumOf } from "../progress/tally.ts";
import { type Variant, variants } from "../world/variants.ts";
import { planOf, runSeed } from "./run-seed.ts";

const SEEDS = Array.from({ length: 25 }, (_, i) => 1 + i * 7);

describe("a seed", () => {
  it("gives the same history each time, event by event, lingering or not", { timeout: 120_000 }, async () => {
    const hashes = async (): Promise<readonly string[]> => {
      const all: string[] = [];
      for (const seed of SEEDS) all.push(`${seed} ${await historyHash(seed, { linger: seed % 2 === 0 })}`);
      return all;
    };
    const first = await hashes();
    expect(await hashes()).toEqual(first);
    expect(new Set(first.map((line) => line.split(" ")[1])).size).toBe(SEEDS.length);
  });

  it("has a history of events, faults and warnings, in order", async () => {
    const history = await historyOf(7, { linger: false });
    const times = history.lines.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const text = historyText(history);
    expect(text).toContain("gateway-0.1: starts");
    expect(text).toMatch(/commit turn:rn_.* >\n/);
    expect(history.end.violations).toEqual([]);
  });

  it("draws faults that other seeds omit", () => {
    const drawn = SEEDS.map((seed) => planOf(seed, { linger: false }).rates);
    expect(FAULT_NAMES.filter((name) => drawn.every((rates) => rates[name] > 0))).toEqual([]);
    expect(FAULT_NAMES.filter((name) => drawn.every((rates) => rates[name] === 0))).toEqual([]);
  });

  it("injects every fault somewhere, still does its work, and breaks nowhere", { timeout: 120_000 }, async () => {
    const injected = new Set<string>();
    const broken: string[] = [];
    let tally = emptyTally();
    const left = (): readonly string[] => FAULT_NAMES.filter((name) => !injected.has(name));
    // A fault that few of these worlds draw may not happen in them, so the test simulates some more worlds.
    for (let seed = 1; seed <= FEWEST_SEEDS || (left().length > 0 && seed <= 2 * FEWEST_SEEDS); seed++) {
      const end = await runSeed(seed, { linger: false });
      if (seed <= FEWEST_SEEDS) tally = sumOf(tally, end.tally);
      broken.push(...end.violations.map((violation) => `seed ${seed}: ${violation}`));
      for (const name of FAULT_NAMES) if (end.injected[name] > 0) injected.add(name);
    }
    expect(broken).toEqual([]);
    expect(left()).toEqual([]);
    expect(missedFloors(tally, FEWEST_SEEDS)).toEqual([]);
  });

  it.each(Object.keys(variants) as readonly Variant[])("also holds in its variant '%s'", { timeout: 120_000 }, async (variant) => {
    const broken: string[] = [];
    for (const seed of SEEDS.slice(0, 8)) {
      const { violations } = await runSeed(seed, { linger: false, variant });
      broken.push(...violations.map((violation) => `seed ${seed}: ${violation}`));
    }
    expect(broken).toEqual([]);
  });
});

describe("seeds that once showed a fault", () => {
  it.each(regressions)("$seed holds: $showed", { timeout: 60_000 }, async ({ seed, options }) => {
    expect((await runSeed(seed, options)).violations).toEqual([]);
  });
});
