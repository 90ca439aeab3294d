import { describe, expect, it } from "vitest";
import { prng } from "./prng.ts";

describe("random numbers from a seed", () => {
  it("are the same for the same seed, and different for another", () => {
    expect(drawn("a")).toEqual(drawn("a"));
    expect(drawn("a")).not.toEqual(drawn("b"));
  });

  it("are spread evenly over their range", () => {
    const random = prng("spread");
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 20_000; i++) {
      const n = random.below(10);
      counts[n] = (counts[n] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(1800);
    for (const count of counts) expect(count).toBeLessThan(2200);
  });

  it("have a fork that does not depend on how many numbers were drawn before it", () => {
    const early = prng("x");
    const late = prng("x");
    for (let i = 0; i < 7; i++) late.next();
    expect(early.fork("y").bytes(8)).toEqual(late.fork("y").bytes(8));
  });

  it("hit every order of magnitude equally often", () => {
    const random = prng("magnitudes");
    const small = Array.from({ length: 3000 }, () => random.magnitude(1, 1000)).filter((n) => n < 10).length;
    expect(small / 3000).toBeCloseTo(1 / 3, 1);
  });

  it("refuse to pick from an empty list", () => {
    expect(() => prng("none").pick([])).toThrow(RangeError);
  });
});

function drawn(seed: string): readonly number[] {
  const random = prng(seed);
  return Array.from({ length: 50 }, () => random.next());
}
