import { describe, expect, it } from "vitest";
import { failedLogins } from "./failed-logins.ts";

describe("failed logins", () => {
  it("are over the limit after the allowed number from one address, until the minute is over", () => {
    const clock = { now: 0 };
    const failed = failedLogins(2, () => clock.now);
    expect([failed.note("a"), failed.note("a")]).toEqual([null, null]);
    clock.now = 20_000;
    expect([failed.note("a"), failed.note("b")]).toEqual([40_000, null]);
    clock.now = 60_000;
    expect(failed.note("a")).toBeNull();
  });

  it("are not limited by 0", () => {
    const failed = failedLogins(0, () => 0);
    expect(Array.from({ length: 100 }, () => failed.note("a")).every((over) => over === null)).toBe(true);
  });

  it("forget the oldest address if there are too many", () => {
    const failed = failedLogins(1, () => 0);
    failed.note("first");
    for (let i = 0; i < 10_000; i++) failed.note(`other ${i}`);
    expect(failed.note("first")).toBeNull();
    expect(failed.note("other 9999")).toBe(60_000);
  });
});
