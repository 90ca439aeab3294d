import { LONGEST_WAIT_MS, type WorkingHours } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { afterWorkingTime, isTimeZone, isWithinLongestWait } from "./working-hours.ts";

const HOUR = 3_600_000;
const berlin: WorkingHours = { zone: "Europe/Berlin", days: ["mon", "tue", "wed", "thu", "fri"], from: "08:00", to: "18:00" };
const end = (start: string, hours: number, week: WorkingHours | null = berlin): string =>
  new Date(afterWorkingTime(Date.parse(start), hours * HOUR, week)).toISOString();

describe("working time", () => {
  it("is all of the time without hours", () => {
    expect(end("2026-06-05T20:00:00Z", 4, null)).toBe("2026-06-06T00:00:00.000Z");
  });

  it("passes within the hours of a day, by the clocks of the zone", () => {
    expect(end("2026-06-03T07:00:00Z", 4)).toBe("2026-06-03T11:00:00.000Z");
    expect(end("2026-12-02T07:00:00Z", 4)).toBe("2026-12-02T11:00:00.000Z");
  });

  it("stands still at night and on days off, and continues when the hours begin", () => {
    // Friday 17:00 in Berlin: one hour is left, and three hours of Monday.
    expect(end("2026-06-05T15:00:00Z", 4)).toBe("2026-06-08T09:00:00.000Z");
    expect(end("2026-06-06T12:00:00Z", 1)).toBe("2026-06-08T07:00:00.000Z");
    expect(end("2026-06-03T02:00:00Z", 1)).toBe("2026-06-03T07:00:00.000Z");
  });

  it("may end exactly when the hours end", () => {
    expect(end("2026-06-03T06:00:00Z", 10)).toBe("2026-06-03T16:00:00.000Z");
  });

  it("takes a change of the clocks into account", () => {
    // Summer time ends on Sunday, 25 October 2026. Monday 08:00 in Berlin is 07:00 in UTC.
    expect(end("2026-10-23T16:00:00Z", 2)).toBe("2026-10-26T09:00:00.000Z");
  });

  it("counts by the local date where it differs from the date in UTC", () => {
    const tokyo: WorkingHours = { ...berlin, zone: "Asia/Tokyo", from: "00:00", to: "24:00" };
    // Sunday 16:00 in UTC is Monday 01:00 in Tokyo.
    expect(end("2026-06-07T16:00:00Z", 1, tokyo)).toBe("2026-06-07T17:00:00.000Z");
  });

  it("never takes longer than a write may wait", () => {
    const seldom: WorkingHours = { ...berlin, days: ["mon"], from: "08:00", to: "08:30" };
    const start = Date.parse("2026-06-03T06:00:00Z");
    expect(afterWorkingTime(start, 10 * HOUR, seldom)).toBe(start + LONGEST_WAIT_MS);
  });
});

describe("whether a time fits into the longest wait", () => {
  it.each([
    [4, berlin, true],
    [30, berlin, true],
    [60, berlin, false],
    [1, { ...berlin, days: ["mon"] as const }, false],
    [144, null, true],
    [145, null, false],
  ] as const)("%s hours", (hours, week, fits) => {
    expect(isWithinLongestWait(hours * HOUR, week && { ...week, days: [...week.days] })).toBe(fits);
  });
});

it("a time zone is one that this machine knows", () => {
  expect([isTimeZone("Europe/Berlin"), isTimeZone("Mars/Olympus"), isTimeZone("UTC")]).toEqual([true, false, true]);
});
