import { describe, expect, it } from "vitest";
import { FAULT_NAMES } from "../ports/faults.ts";
import { historyHash, historyOf, historyText } from "./history.ts";
import { regressions } from "./regressions.ts";
import { planOf, runSeed } from "./run-seed.ts";

const SEEDS = Array.from({ length: 25 }, (_, i) => 1 + i * 7);

describe("a seed", () => {
  it("gives the same history each time, event by event, lingering or not", { timeout: 120_000 }, async () => {
    for (const seed of SEEDS) {
      const options = { linger: seed % 2 === 0 };
      expect(await historyHash(seed, options), `seed ${seed}`).toBe(await historyHash(seed, options));
    }
    expect(await historyHash(1, { linger: false })).not.toBe(await historyHash(2, { linger: false }));
  });

  it("has a history that tells events, faults and warnings in order", async () => {
    const history = await historyOf(7, { linger: false });
    const times = history.lines.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const text = historyText(history);
    expect(text).toContain("gateway-0.1: starts");
    expect(text).toMatch(/commit turn:rn_.* >\n/);
    expect(history.end.violations).toEqual([]);
  });

  it("draws faults that other seeds leave out", () => {
    const drawn = SEEDS.map((seed) => planOf(seed, { linger: false }).rates);
    for (const name of FAULT_NAMES) {
      expect(
        drawn.some((rates) => rates[name] === 0),
        name,
      ).toBe(true);
      expect(
        drawn.some((rates) => rates[name] > 0),
        name,
      ).toBe(true);
    }
  });

  it("injects every fault somewhere", { timeout: 120_000 }, async () => {
    const injected = new Map<string, number>();
    for (let seed = 1; seed <= 60; seed++) {
      const end = await runSeed(seed, { linger: false });
      expect(end.violations, `seed ${seed}`).toEqual([]);
      for (const name of FAULT_NAMES) injected.set(name, (injected.get(name) ?? 0) + end.injected[name]);
    }
    for (const name of FAULT_NAMES) expect(injected.get(name), name).toBeGreaterThan(0);
  });

  it("holds without the timers that send a call again, when only they are gone", { timeout: 120_000 }, async () => {
    for (const seed of SEEDS) {
      const { violations } = await runSeed(seed, { linger: false, withoutFallback: true });
      expect(violations, `seed ${seed}`).toEqual([]);
    }
  });
});

describe("seeds that once showed a fault", () => {
  it.each(regressions)("$seed holds: $showed", { timeout: 60_000 }, async ({ seed, linger }) => {
    expect((await runSeed(seed, { linger })).violations).toEqual([]);
  });
});
