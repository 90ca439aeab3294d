import { describe, expect, it } from "vitest";
import { since } from "./since.ts";

const NOW = 1_800_000_000_000;

describe("--since", () => {
  it.each([
    ["2h", NOW - 2 * 3_600_000],
    ["3d", NOW - 3 * 86_400_000],
    ["90", NOW - 90_000],
    ["2026-11-25T18:00:00Z", Date.UTC(2026, 10, 25, 18)],
    ["2026-11-25T18:00:00.5+02:00", Date.UTC(2026, 10, 25, 16, 0, 0, 500)],
    ["1763718400000", 1_763_718_400_000],
  ])("reads %s", (text, at) => {
    expect(since(text)(NOW)).toBe(at);
  });

  it.each(["yesterday", "", "-2h", "2026-13-45T00:00:00Z", "2026-11-25"])("refuses %s", (text) => {
    expect(() => since(text)).toThrow(/span such as 30m, 2h or 3d, or a time/);
  });
});
