import { foreignSchema } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { hostileSchemas } from "./hostile-schemas.ts";

const LONGEST_MS = 50;
const SEED = Number(process.env["SCHEMA_SEED"] ?? 20_261_121);

/**
 * Returns the processor time of an action in milliseconds. If the time was long, it measures again and returns the shortest of three times, because a
 * busy machine makes one measurement unreliable.
 */
function cost(act: () => void): number {
  let best = Infinity;
  for (let tries = 0; tries < 3 && best > LONGEST_MS * 0.8; tries++) {
    const { user, system } = process.threadCpuUsage();
    act();
    const after = process.threadCpuUsage();
    best = Math.min(best, (after.user - user + after.system - system) / 1000);
  }
  return best;
}

describe("a thousand hostile schemas", () => {
  it("cost no more than their bounds, and every one is compiled, or refused with its position", { timeout: 240_000 }, () => {
    const all = hostileSchemas(SEED);
    expect(all).toHaveLength(1000);
    const counts = new Map<string, { taken: number; refused: number }>();
    const reasons = new Map<string, number>();
    const longest = { compile: 0, validate: 0, of: "" };
    const slow: Record<string, number> = {};
    let checks = 0;
    let ended = 0;
    for (const { family, schema, values } of all) {
      const own = counts.get(family) ?? { taken: 0, refused: 0 };
      counts.set(family, own);
      const text = JSON.stringify(schema);
      longest.compile = Math.max(
        longest.compile,
        cost(() => void foreignSchema(JSON.parse(`{"x":${Math.random()},"allOf":[${text}]}`) as object)),
      );
      const made = foreignSchema(schema);
      if (!made.ok) {
        own.refused++;
        expect(made.fault.pointer).toMatch(/^(?:\/|$)/);
        expect(made.fault.reason).toMatch(/^[A-Z"].+\.$/s);
        const kind = made.fault.reason.replaceAll(/"[^"]*"|\d+/g, "…").slice(0, 60);
        reasons.set(kind, (reasons.get(kind) ?? 0) + 1);
        continue;
      }
      own.taken++;
      for (const value of values) {
        checks++;
        const given = structuredClone(value);
        let said: unknown;
        const took = cost(() => {
          said = made.validate(given);
        });
        expect(Array.isArray(said)).toBe(true);
        if (JSON.stringify(said).includes("takes too long to check")) ended++;
        slow[family] = Math.max(slow[family] ?? 0, took);
        if (took > longest.validate) Object.assign(longest, { validate: took, of: text.slice(0, 160) });
      }
    }
    console.log(
      JSON.stringify({ families: Object.fromEntries(counts), reasons: Object.fromEntries(reasons), checks, ended, slow, longest }, null, 1),
    );
    expect(longest.validate).toBeLessThan(LONGEST_MS);
    // A schema is compiled only once, and the size of a schema is bounded. So this limit is higher.
    expect(longest.compile).toBeLessThan(4 * LONGEST_MS);
    const taken = [...counts.values()].reduce((sum, one) => sum + one.taken, 0);
    // Code that refuses everything would also meet the limits above, so this checks that many values are accepted.
    expect(taken).toBeGreaterThan(400);
    expect(1000 - taken).toBeGreaterThan(250);
    expect(counts.get("remote")).toMatchObject({ taken: 0 });
    expect(counts.get("pattern")?.taken).toBeGreaterThan(150);
    expect(ended).toBeGreaterThan(20);
  });
});
