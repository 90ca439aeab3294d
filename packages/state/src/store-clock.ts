import { steadyClock } from "./steady-clock.ts";
import { STEP_MS } from "./clock-step.ts";

/**
 * The state store's time, as a process knows it between two answers of the store. It is the last answer plus the time that has passed since then by
 * the monotonic clock. Processes read all times that they exchange or compare from here. So a machine's own clock does not matter, even if somebody
 * sets it. All values are milliseconds.
 */
export interface StoreClock {
  /**
   * Returns the store's time now, since 1970. It is never later than the true time, except for the drift of the monotonic clock since the last
   * answer. Before the first answer, and with a store without a clock, it returns the process's time, which does not go back.
   */
  now(): number;
  /** Returns the monotonic time, for the `askedAt` of `heard`. */
  monotonic(): number;
  /**
   * Records that the store answered with this time when it was asked at `askedAt`. Returns false if the answer is more than `STEP_MS` behind the
   * expected time. The store's clock was then set back, and the expected time stays.
   */
  heard(time: number, askedAt: number): boolean;
  /** Like `heard`, but accepts every answer. Use it for a store whose servers need not agree on the time. */
  believed(time: number, askedAt: number): void;
  /** Records how far the store's time is ahead of its server's clock, because that clock was set back. */
  heldAhead(ms: number): void;
  /** Returns this process's own clock minus the clock of the store's server, or null before the first answer. */
  skew(): number | null;
  /** Returns the current problems of the clocks. An operator should know about them. */
  faults(): readonly ClockFault[];
}

/** A disagreement between clocks. */
export interface ClockFault {
  readonly name: "ahead" | "behind" | "set_back";
  readonly sentence: string;
}

export interface StoreClockOptions {
  /** The process's own clock, which may be wrong. The `StoreClock` uses it until a store has answered, and compares it with the store's clock. */
  readonly wall: () => number;
  /** A monotonic clock, which nobody can set. */
  readonly monotonic: () => number;
  /** The difference, in milliseconds, from which the operator receives a warning. The default is `SKEW_WARN_MS.default`. */
  readonly skewWarnMs?: number;
}

/**
 * How far this machine's clock and the store's may differ before the operator receives a warning. Below the minimum, a slow answer would look like a
 * wrong clock.
 */
export const SKEW_WARN_MS = { default: 2000, min: 100, max: 3_600_000 } as const;

/** Makes the store's clock. It knows nothing about the store's time yet. */
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
      // The store read its clock at some time between the question and now. The expected time is corrected only as far as this proves it wrong,
      // because a slow answer proves little.
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
      // Reports even a small step, because a step is an accident and not ordinary drift. The difference stays until somebody removes it.
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

/**
 * Returns the largest possible offset: the store read its clock at the moment of the question. The 1 covers the fraction of a millisecond that the
 * store truncates.
 */
function latest(time: number, askedAt: number): number {
  return time + 1 - askedAt;
}

function spanOf(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(1)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
