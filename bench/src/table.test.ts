import { describe, expect, it } from "vitest";
import { tableOf } from "./table.ts";

describe("the table", () => {
  it("has one line per row, with its figures to the right", () => {
    const row = {
      name: "read call",
      p50Ms: 0.05,
      p99Ms: 1,
      perSecond: 9000,
      cpuMsPer: 0.06,
      bareP50Ms: 0.004,
      ratio: 14,
      quartiles: [9, 31],
    } as const;
    const [head = "", first = "", second = "", end] = tableOf([row, { ...row, name: "run", p50Ms: 82.8 }]).split("\n");
    expect(head.trim()).toMatch(/^per second +p50 ms +p99 ms +CPU ms each +bare p50 ms +times the bare work \(quartiles\)$/);
    expect(first).toMatch(/^read call +9000 +0\.05 +1 +0\.06 +0\.004 +14 \(9 to 31\)$/);
    expect(second).toMatch(/^run +9000 +82\.8 /);
    expect(new Set([head, first, second].map((line) => line.length)).size).toBe(1);
    expect(end).toBe("");
  });
});
