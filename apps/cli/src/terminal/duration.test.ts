import { describe, expect, it } from "vitest";
import { parseSpan, spanOf, tookOf } from "./duration.ts";

describe("a time span", () => {
  it.each([
    [-5, "0 s"],
    [999, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [3_600_000, "1 h"],
    [200_000_000, "2 d"],
  ])("of %d ms is shown as %s", (ms, words) => expect(spanOf(ms)).toBe(words));

  it.each([
    [12.4, "12 ms"],
    [1500, "1.5 s"],
    [125_000, "2 min"],
  ])("of a finished action, %d ms, is shown as %s", (ms, words) => expect(tookOf(ms)).toBe(words));

  it.each([
    ["90", 90_000],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["5 min", 300_000],
    ["1h", 3_600_000],
  ])("is read from %s", (text, ms) => expect(parseSpan(text)).toBe(ms));

  it.each(["", "0", "0s", "-1s", "5 weeks", "1e3", "s", "999d", "0.0001s"])("is not read from %j", (text) =>
    expect(parseSpan(text)).toBeNull(),
  );
});
