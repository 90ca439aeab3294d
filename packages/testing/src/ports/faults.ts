import type { Prng } from "../clockwork/prng.ts";

/**
 * The faults, with their base rates. A rate is the probability at each place where the fault can happen. Each seed multiplies it by its own factor.
 */
const BASE_RATES = {
  /** A process is killed (kill -9) before an event. */
  kill: 0.004,
  /** A process is paused (SIGSTOP) before an event, for longer than a lease. */
  pause: 0.001,
  /** A process is asked to stop (SIGTERM) before an event. It drains, and another one replaces it. */
  stop: 0.001,
  /** A request to a port is never executed, and its caller waits until it times out. */
  lost_request: 0.02,
  /** A request to a port is executed, and its answer is lost. */
  lost_reply: 0.03,
  /** A request to a port is executed a second time. */
  executed_twice: 0.03,
  /** A message arrives again, up to minutes later. */
  duplicate: 0.05,
  /** A later message arrives before an earlier one. */
  reorder: 0.3,
  /** A message is delayed by seconds to minutes. */
  late_message: 0.02,
  /** A message is confirmed and never arrives. */
  lost_message: 0.01,
  /** A listener does not receive an announcement. */
  unheard: 0.1,
  /** The broker gives a delivery to another consumer while the first one still handles it. */
  taken_back: 0.01,
  /** An ack is lost, so the message arrives again. */
  lost_ack: 0.02,
  /** The model thinks longer than a lease lasts. */
  slow_model: 0.1,
  /** A model call fails and may be repeated. */
  failing_model: 0.05,
  /** The target answers after the tool's time-out, or after the lease. */
  slow_target: 0.1,
  /** The target refuses and says that nothing happened. */
  refusing_target: 0.05,
  /** A sender publishes a message that it has no right to send. The fault is drawn once per virtual second. */
  forged: 0.2,
  /** Somebody sends a recorded message again. The fault is drawn once per virtual second. */
  replayed: 0.1,
  /** The state store answers nobody for some seconds. The fault is drawn once per virtual second. */
  outage: 0.01,
} as const;

export type FaultName = keyof typeof BASE_RATES;
export const FAULT_NAMES = Object.keys(BASE_RATES) as readonly FaultName[];

export type FaultRates = Readonly<Record<FaultName, number>>;

/** The rate of each fault is drawn for each seed. Many faults at once would hide one another, so some faults are absent and some are frequent. */
const FACTORS = [0, 0.03, 0.2, 1, 3] as const;

/** The share of seeds in which one fault is very frequent (a storm). Some states are reached only if a fault happens nearly always. */
const STORMS = 0.2;
const STORM_FACTOR = 30;
const STORMY: readonly FaultName[] = [
  "lost_request",
  "lost_reply",
  "executed_twice",
  "duplicate",
  "late_message",
  "lost_message",
  "taken_back",
  "lost_ack",
  "slow_model",
  "failing_model",
  "slow_target",
  "refusing_target",
  "forged",
  "replayed",
];
const STORM_AT_MOST = 0.7;

/** Draws the rates of one seed. */
export function swarmRates(random: Prng): FaultRates {
  const rates = ratesBy((name) => BASE_RATES[name] * random.pick(FACTORS));
  const storm = random.pick(STORMY);
  return random.chance(STORMS) ? { ...rates, [storm]: Math.min(STORM_AT_MOST, BASE_RATES[storm] * STORM_FACTOR) } : rates;
}

/** Returns the rates of a world with only the named faults. */
export function ratesOf(named: Partial<FaultRates> = {}): FaultRates {
  return ratesBy((name) => named[name] ?? 0);
}

/** Draws faults and counts those that were injected. */
export interface Faults {
  /** Draws whether this fault happens here and now. */
  hit(name: FaultName): boolean;
  /** Counts a fault that a clock caused instead of a draw. */
  count(name: FaultName): void;
  /** Stops all faults until `resume`. */
  end(): void;
  readonly ended: boolean;
  /** Allows faults again after `end`. */
  resume(): void;
  readonly injected: Readonly<Record<FaultName, number>>;
}

export function faults(rates: FaultRates, random: Prng): Faults {
  const injected = ratesBy(() => 0);
  let ended = false;
  return {
    hit(name) {
      if (ended || !random.chance(rates[name])) return false;
      injected[name]++;
      return true;
    },
    count: (name) => void injected[name]++,
    end() {
      ended = true;
    },
    resume() {
      ended = false;
    },
    get ended() {
      return ended;
    },
    injected,
  };
}

function ratesBy(rate: (name: FaultName) => number): Record<FaultName, number> {
  return Object.fromEntries(FAULT_NAMES.map((name) => [name, rate(name)])) as Record<FaultName, number>;
}
