import { LONGEST_WAIT_MS, WEEKDAYS, type WorkingHours } from "@toolbus/contracts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * Returns the time at which this much working time has passed since `start`. Outside of the hours, the time stands still. Without hours, all time is
 * working time. The result is at most `LONGEST_WAIT_MS` after `start`.
 */
export function afterWorkingTime(start: number, ms: number, hours: WorkingHours | null): number {
  const latest = start + LONGEST_WAIT_MS;
  if (!hours) return Math.min(start + ms, latest);
  let left = ms;
  // The local day may have begun on another date than the day in UTC.
  for (let day = dayOf(start, hours.zone) - DAY_MS; day <= latest + DAY_MS; day += DAY_MS) {
    if (!hours.days.includes(weekdayOf(day))) continue;
    const closes = instantOf(day, hours.to, hours.zone);
    const begins = Math.max(instantOf(day, hours.from, hours.zone), start);
    if (closes <= begins) continue;
    if (closes - begins >= left) return Math.min(begins + left, latest);
    left -= closes - begins;
  }
  return latest;
}

/** Returns whether this much working time always passes within `LONGEST_WAIT_MS`, whenever it begins. */
export function isWithinLongestWait(ms: number, hours: WorkingHours | null): boolean {
  if (ms > LONGEST_WAIT_MS) return false;
  if (!hours) return true;
  // A week in UTC has no change to or from summer time. The hour of such a change is cut off at `LONGEST_WAIT_MS`.
  const week = { ...hours, zone: UTC };
  for (let start = 0; start < 7 * DAY_MS; start += HOUR_MS / 4)
    if (afterWorkingTime(start, ms, week) >= start + LONGEST_WAIT_MS) return false;
  return true;
}

/** Returns whether this machine knows the time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    return clockOf(zone) !== undefined;
  } catch {
    return false;
  }
}

const UTC = "UTC";

/** Returns the midnight that begins the local day, as if the local date were a date in UTC. */
function dayOf(time: number, zone: string): number {
  return Math.floor((time + offsetOf(time, zone)) / DAY_MS) * DAY_MS;
}

function weekdayOf(day: number): (typeof WEEKDAYS)[number] {
  // 1970 began on a Thursday.
  return WEEKDAYS[(((day / DAY_MS + 3) % 7) + 7) % 7] ?? "mon";
}

/** Returns the time at which clocks of the zone show `HH:MM` on this day. */
function instantOf(day: number, clockTime: string, zone: string): number {
  const [hours = 0, minutes = 0] = clockTime.split(":").map(Number);
  const local = day + hours * HOUR_MS + minutes * MINUTE_MS;
  // The offset at the first guess may be that before a change of the clocks.
  return local - offsetOf(local - offsetOf(local, zone), zone);
}

/** Returns how far the zone's clocks are ahead of UTC, in milliseconds. */
function offsetOf(time: number, zone: string): number {
  if (zone === UTC) return 0;
  const parts: Record<string, number> = {};
  for (const { type, value } of clockOf(zone).formatToParts(time)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  clocks.set(zone, made);
  return made;
}
