import { steadyClock } from "./steady-clock.ts";
import { STEP_MS } from "./clock-step.ts";

/**
 * The time of the state store, as a process knows it between two answers of the store: the store's last answer, carried on with this process's monotonic
 * clock. All times that processes exchange, and all times that they compare, come from here, so that a machine's own clock does not matter, not even if
 * somebody sets it. Milliseconds, as everywhere.
 */
export interface StoreClock {
  /**
   * The store's time now, since 1970: never later than the true one, except for the drift of the monotonic clock since the last answer. Before the first
   * answer, and with a store that has no clock of its own: the process's time, which does not go back.
   */
  now(): number;
  /** The clock for the `askedAt` of `heard`. */
  monotonic(): number;
  /**
   * The store answered this time when it was asked at `askedAt`. False if that is more than `STEP_MS` before the time that is carried on: then the store's
   * clock was set back, and the carried-on time stays.
   */
  heard(time: number, askedAt: number): boolean;
  /** The same for a store whose servers need not agree: every answer holds. */
  believed(time: number, askedAt: number): void;
  /** How far the store's time is ahead of its server's clock, because that was set back. */
  heldAhead(ms: number): void;
  /** This process's own clock minus that of the store's server; null before the first answer. */
  skew(): number | null;
  /** What an operator should know about the clocks now. */
  faults(): readonly ClockFault[];
}

/** Clocks that disagree. */
export interface ClockFault {
  readonly name: "ahead" | "behind" | "set_back";
  readonly sentence: string;
}

export interface StoreClockOptions {
  /** The process's own clock, which may be wrong: used until a store has answered, and compared with the store's. */
  readonly wall: () => number;
  /** Monotonic: nobody can set it. */
  readonly monotonic: () => number;
  /** From this difference on, in milliseconds, the operator gets a warning; by default `SKEW_WARN_MS.default`. */
  readonly skewWarnMs?: number;
}

/**
 * How far this machine's clock and the store's may differ before the operator gets a warning. Below the minimum, a slow answer would look like a wrong
 * clock.
 */
export const SKEW_WARN_MS = { default: 2000, min: 100, max: 3_600_000 } as const;

/** The store's time, about which nothing is known yet. */
export function storeClock({ wall, monotonic, skewWarnMs = SKEW_WARN_MS.default }: StoreClockOptions): StoreClock {
  /** The store's time minus the monotonic clock's. */
  let offset: number | null = null;
  let ahead = 0;
  const steady = steadyClock({ wall, monotonic });
  const clock: StoreClock = {
    monotonic,
    now: () => (offset === null ? steady() : Math.floor(offset + monotonic())),
    heard(time, askedAt) {
      if (offset !== null && offset - latest(time, askedAt) > STEP_MS) return false;
      clock.believed(time, askedAt);
      return true;
    },
    believed(time, askedAt) {
      // The store read its clock at some time between the question and now. The carried-on time moves only as far as it contradicts that: a
      // slow answer says little.
      const earliest = time - monotonic();
      offset = Math.min(Math.max(offset ?? earliest, earliest), latest(time, askedAt));
    },
    heldAhead(ms) {
      ahead = ms;
    },
    skew: () => (offset === null ? null : wall() - (clock.now() - ahead)),
    faults: () => {
      const skew = clock.skew() ?? 0;
      const faults: ClockFault[] = [];
      if (skew > skewWarnMs)
        faults.push({ name: "ahead", sentence: `this machine's clock is ${spanOf(skew)} ahead of the state store's: set both by NTP` });
      if (skew < -skewWarnMs)
        faults.push({ name: "behind", sentence: `this machine's clock is ${spanOf(skew)} behind the state store's: set both by NTP` });
      // However small: it is an accident, not a clock that is a little fast, and it stays until somebody removes it.
      if (ahead > 0)
        faults.push({
          name: "set_back",
          sentence: `the clock of the state store's server was set back by ${spanOf(ahead)}, which its time did not follow`,
        });
      return faults;
    },
  };
  return clock;
}

/** The offset if the time was read just when it was requested, including the truncated fraction of a millisecond. */
function latest(time: number, askedAt: number): number {
  return time + 1 - askedAt;
}

function spanOf(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
