import { describe, expect, it } from "vitest";
import { spanInWords, utcMinute } from "./time-in-words.ts";

describe("a span of time in words", () => {
  it.each([
    [-5000, "0 s"],
    [59_000, "59 s"],
    [900_000, "15 min"],
    [5_400_000, "90 min"],
    [4 * 3_600_000, "4 h"],
    [656 * 60_000, "11 h"],
    [6 * 86_400_000, "6 days"],
  ])("says %d ms as %s", (ms, words) => {
    expect(spanInWords(ms)).toBe(words);
  });
});

describe("a time", () => {
  it("is shown in UTC, to the minute", () => {
    expect(utcMinute(Date.UTC(2026, 5, 8, 9, 0, 59))).toBe("2026-06-08 09:00 UTC");
  });
});
