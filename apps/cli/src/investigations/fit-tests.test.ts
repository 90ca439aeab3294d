import { parseReleaseMeasurements } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { bytesOf, fitTests } from "./fit-tests.ts";

const MOST = 4000;
const failed = (count: number, width: number, message: string) => ({
  passed: 900,
  failed: count + 10,
  skipped: 3,
  failures: Array.from({ length: count }, (_, n) => ({ name: `${n} ${"n".repeat(width)}`, suite: "orders", message })),
});

describe("test results that have to fit", () => {
  it("are whole if there is room, as lines that a terminal can show", () => {
    const failures = [{ name: "shows\u001b[2J the date", suite: "orders\n", message: "expected 1\nbut got 2" }];
    expect(fitTests({ passed: 9, failed: 1, skipped: 0, failures }, MOST)).toEqual({
      passed: 9,
      failed: 1,
      skipped: 0,
      failures: [{ name: "shows [2J the date", suite: "orders", message: "expected 1 but got 2" }],
    });
  });

  it.each([
    ["lose words of their messages first", failed(15, 20, "m".repeat(300)), 15, 100],
    ["then lose their messages", failed(50, 20, "m".repeat(300)), 50, undefined],
    ["then lose the last failures", failed(50, 300, "m".repeat(300)), 26, undefined],
  ])("%s, and keep their counts", (_, results, named, message) => {
    const tests = fitTests(results, MOST);
    expect(bytesOf(tests)).toBeLessThanOrEqual(MOST);
    expect(tests).toMatchObject({ passed: 900, failed: results.failed, skipped: 3 });
    expect(tests.failures).toHaveLength(named);
    expect(tests.failures[0]?.message?.length).toBe(message);
    expect(tests.failures[0]?.name).toMatch(/^0 n/);
    expect(parseReleaseMeasurements({ tests })).toMatchObject({ ok: true });
  });
});
