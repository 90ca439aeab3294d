import { deliveryIdOf, type Json, keys, type WebhookDelivery, type WebhookEvent } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { ANSWER_WITHIN_MS } from "./channel.ts";
import type { Target } from "./webhook-targets.ts";

/** An event to report to its subscribers. */
export interface ReportedEvent {
  readonly event: WebhookEvent;
  /** The id of the approval or the run. */
  readonly subject: string;
  /** The time to send the event, by the store's clock, and the milliseconds until then. */
  readonly at: number;
  readonly dueIn: number;
  /** The number of the plan that people decide about, if there is one. An event about another plan is a separate event. */
  readonly round?: number;
  /** The names of the targets that get the event. Absent if each target that subscribes to the event gets it. */
  readonly targets?: readonly string[];
}

/** A delivery with the version that was read. This version guards every change of the delivery. */
export interface ReadDelivery {
  readonly version: number;
  readonly value: WebhookDelivery;
}

/** The rules for changes of deliveries. */
export interface DeliveryRules {
  /** The name of the service that owns the deliveries. */
  readonly service: string;
  /** The wait after each failed attempt. After the last one the delivery is given up. */
  readonly retriesMs: readonly number[];
  /** Returns a number from 0 to 1, so that simultaneous failures are not all retried at once. */
  readonly random: () => number;
  /**
   * Returns a random part of the change's op. If two processes make the same decision at the same time, their changes differ, and the store answers
   * "stale" to one of them.
   */
  readonly newNonce: () => string;
}

const KEPT_MS = 30 * 86_400_000;
/** The maximum time of an attempt, with a margin. Until then no other process makes the next attempt. */
const ATTEMPT_MS = ANSWER_WITHIN_MS + 5000;
const MOST_REASON = 300;
const MOST_WAIT_MS = 86_400_000;

/** Returns the id of a delivery's timer. */
export const deliveryTimer = (deliveryId: string): string => `${TIMER}${deliveryId}`;
const TIMER = "hook:";

/** Returns the id of a timer's delivery, or null for a timer of another kind. */
export const deliveryOfTimer = (timerId: string): string | null => (timerId.startsWith(TIMER) ? timerId.slice(TIMER.length) : null);

/**
 * Returns a document and a timer for each event and each subscribed target. They belong in the commit that causes the events, so no event is sent
 * before this commit, and none is lost after it.
 */
export function deliveriesOf(
  reported: readonly ReportedEvent[],
  targets: readonly Target[],
  service: string,
): Pick<Change, "put" | "timers"> {
  const wanted = reported.flatMap((one) =>
    targets
      .filter(({ name, events }) => (one.targets ? one.targets.includes(name) : events.has(one.event)))
      .map((target) => ({ ...one, target })),
  );
  return {
    put: wanted.map(({ event, subject, at, round, target: { name, kind } }) => {
      const deliveryId = deliveryIdOf(event, subject, name, round);
      const channel = kind === "webhook" ? {} : { channel: kind };
      const value: WebhookDelivery = { deliveryId, event, subject, target: name, ...channel, at, attempts: 0, state: "waiting" };
      return { key: keys.delivery(service, deliveryId), value, expiresAt: at + KEPT_MS };
    }),
    timers: wanted.map(({ event, subject, dueIn, round, target: { name } }) =>
      timerOf(deliveryIdOf(event, subject, name, round), service, dueIn),
    ),
  };
}

/**
 * Returns the change that begins an attempt, which belongs to this process until the timer is due. If the process dies meanwhile, the
 * timer starts the next attempt.
 */
export function beginAttempt({ version, value }: ReadDelivery, now: number, rules: DeliveryRules): Change {
  return changed({ version, value: { ...value, attempts: value.attempts + 1 } }, "begin", now, rules, { dueIn: ATTEMPT_MS });
}

/** Returns whether no attempt is left, because a process began the last attempt and died before the attempt ended. */
export function isUsedUp({ attempts }: WebhookDelivery, { retriesMs }: DeliveryRules): boolean {
  return attempts > retriesMs.length;
}

/** Returns the change after a successful attempt. It removes the delivery. */
export function delivered({ version, value }: ReadDelivery, rules: DeliveryRules): Change {
  return removed({ version, value }, "delivered", rules);
}

/** Returns the change that removes a delivery that nobody may get: its event or target is gone, or the target belongs to another tenant. */
export function dropped({ version, value }: ReadDelivery, rules: DeliveryRules): Change {
  return removed({ version, value }, "dropped", rules);
}

/**
 * Returns the change after a failed attempt: either a retry after the next wait, or the end of the delivery. A target may ask for a longer wait, of at
 * most a day.
 */
export function failed(
  { version, value }: ReadDelivery,
  { reason, afterMs = 0 }: { readonly reason: string; readonly afterMs?: number },
  now: number,
  rules: DeliveryRules,
): { readonly change: Change; readonly again: number | null } {
  const wait = rules.retriesMs[value.attempts - 1];
  if (wait === undefined) return { change: givenUp({ version, value }, "failed", reason, now, rules), again: null };
  // The wait is up to a tenth longer, at random.
  const dueIn = Math.round(Math.max(wait, Math.min(afterMs, MOST_WAIT_MS)) * (1 + rules.random() / 10));
  const next = { ...value, failedAt: now, reason: reason.slice(0, MOST_REASON) };
  return { change: changed({ version, value: next }, "failed", now, rules, { dueIn }), again: dueIn };
}

/**
 * Returns the change that gives a delivery up. The delivery appears in the list of those that were given up until an operator sends it again, or for
 * 30 days.
 */
export function givenUp(
  { version, value }: ReadDelivery,
  state: "failed" | "gone",
  reason: string,
  now: number,
  rules: DeliveryRules,
): Change {
  const next: WebhookDelivery = { ...value, state, failedAt: now, reason: reason.slice(0, MOST_REASON) };
  return changed({ version, value: next }, state, now, rules, { dueIn: null, listed: now });
}

/** Returns the change for an operator's request to send a delivery again. The delivery keeps its id and gets the full number of attempts again. */
export function sentAgain({ version, value }: ReadDelivery, now: number, rules: DeliveryRules): Change {
  const { failedAt: _, reason: __, ...rest } = value;
  return changed({ version, value: { ...rest, state: "waiting", attempts: 0 } }, "again", now, rules, { dueIn: 0, listed: null });
}

function changed(
  { version, value }: ReadDelivery,
  what: string,
  now: number,
  { service, newNonce }: DeliveryRules,
  { dueIn, listed }: { readonly dueIn: number | null; readonly listed?: number | null },
): Change {
  const { deliveryId } = value;
  const key = keys.delivery(service, deliveryId);
  return {
    op: `hook:${deliveryId}:${what}:${newNonce()}`,
    guards: [{ key, version }],
    put: [{ key, value: value as unknown as Json, expiresAt: now + KEPT_MS }],
    timers: [timerOf(deliveryId, service, dueIn)],
    ...(listed === undefined ? {} : { index: [{ index: keys.failedDeliveries(service), member: deliveryId, score: listed }] }),
  };
}

function removed({ version, value: { deliveryId } }: ReadDelivery, what: string, { service, newNonce }: DeliveryRules): Change {
  const key = keys.delivery(service, deliveryId);
  return {
    op: `hook:${deliveryId}:${what}:${newNonce()}`,
    guards: [{ key, version }],
    remove: [key],
    timers: [timerOf(deliveryId, service, null)],
  };
}

function timerOf(deliveryId: string, service: string, dueIn: number | null): NonNullable<Change["timers"]>[number] {
  return { service, id: deliveryTimer(deliveryId), dueIn };
}
