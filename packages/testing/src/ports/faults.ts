import type { Prng } from "../clockwork/prng.ts";

/** The faults, and how often each happens at most: the probability at each place where it can, before a seed's own factor. */
const BASE_RATES = {
  /** kill -9, before any event. */
  kill: 0.004,
  /** SIGSTOP for longer than a lease, before any event. */
  pause: 0.001,
  /** SIGTERM, before any event: a process drains and another one replaces it. */
  stop: 0.001,
  /** A request to a port that is never executed. Its caller waits in vain. */
  lost_request: 0.02,
  /** A request to a port that is executed and never answered. */
  lost_reply: 0.03,
  /** A request to a port that is executed a second time. */
  executed_twice: 0.03,
  /** A message that arrives again, up to minutes later. */
  duplicate: 0.05,
  /** A message that is overtaken. */
  reorder: 0.3,
  /** A message that is delayed by seconds to minutes. */
  late_message: 0.02,
  /** A message that is confirmed and never arrives. */
  lost_message: 0.01,
  /** An announcement that a listener does not receive. */
  unheard: 0.1,
  /** A delivery that the broker gives to another consumer while the first one still handles it. */
  taken_back: 0.01,
  /** An ack that is lost: the message comes again. */
  lost_ack: 0.02,
  /** A model that thinks longer than a lease lasts. */
  slow_model: 0.1,
  /** A model call that fails and may be repeated. */
  failing_model: 0.05,
  /** A target that answers after the tool's time-out, or after the lease. */
  slow_target: 0.1,
  /** A target that refuses and says that nothing happened. */
  refusing_target: 0.05,
  /** A message from a sender without the right to send it, once per virtual second. */
  forged: 0.2,
  /** An old message, sent again by somebody who recorded it, once per virtual second. */
  replayed: 0.1,
  /** The state store answers nobody for some seconds, once per virtual second. */
  outage: 0.01,
} as const;

export type FaultName = keyof typeof BASE_RATES;
export const FAULT_NAMES = Object.keys(BASE_RATES) as readonly FaultName[];

export type FaultRates = Readonly<Record<FaultName, number>>;

/** The rate of each fault is drawn for each seed. Many faults at once hide one another, so some are absent and some are frequent. */
const FACTORS = [0, 0.03, 0.2, 1, 3] as const;

/** In some seeds one fault is a storm: some states are reached only if it happens nearly always. */
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

/** The rates of one seed. */
export function swarmRates(random: Prng): FaultRates {
  const rates = ratesBy((name) => BASE_RATES[name] * random.pick(FACTORS));
  const storm = random.pick(STORMY);
  return random.chance(STORMS) ? { ...rates, [storm]: Math.min(STORM_AT_MOST, BASE_RATES[storm] * STORM_FACTOR) } : rates;
}

/** No faults, except the named ones. */
export function ratesOf(named: Partial<FaultRates> = {}): FaultRates {
  return ratesBy((name) => named[name] ?? 0);
}

/** Draws faults and counts those that were injected. */
export interface Faults {
  /** Whether this fault happens here and now. */
  hit(name: FaultName): boolean;
  /** Counts a fault that a clock caused, not a draw. */
  count(name: FaultName): void;
  /** From now on there are no more faults. */
  end(): void;
  readonly ended: boolean;
  /** Continues where it ended. */
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
