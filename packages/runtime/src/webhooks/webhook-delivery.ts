import { deliveryIdOf, type Json, keys, type WebhookDelivery, type WebhookEvent } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { ANSWER_WITHIN_MS } from "./send-webhook.ts";
import type { WebhookTarget } from "./webhook-targets.ts";

/** Something that became true, for its subscribers. */
export interface ReportedEvent {
  readonly event: WebhookEvent;
  /** The approval or the run that it is about. */
  readonly subject: string;
  /** When it is sent, by the store's clock, and how many milliseconds that is from now. */
  readonly at: number;
  readonly dueIn: number;
}

/** A delivery as it was read; a change of it is guarded by this version. */
export interface ReadDelivery {
  readonly version: number;
  readonly value: WebhookDelivery;
}

/** What a change of a delivery needs from outside. */
export interface DeliveryRules {
  /** The name of the service that the deliveries belong to. */
  readonly service: string;
  /** The wait after each failed attempt; after the last one the delivery is given up. */
  readonly retriesMs: readonly number[];
  /** 0 to 1, so that simultaneous failures are not all retried at once. */
  readonly random: () => number;
  /** Two processes that decide the same at one moment make two changes, one of which is stale. */
  readonly newNonce: () => string;
}

const KEPT_MS = 30 * 86_400_000;
/** As long as an attempt may last, plus some more: until then nobody else makes it. */
const ATTEMPT_MS = ANSWER_WITHIN_MS + 5000;
const MOST_REASON = 300;

/** The id of the timer of a delivery. */
export const deliveryTimer = (deliveryId: string): string => `${TIMER}${deliveryId}`;
const TIMER = "hook:";

/** The delivery that a timer is for; null for every other timer. */
export const deliveryOfTimer = (timerId: string): string | null => (timerId.startsWith(TIMER) ? timerId.slice(TIMER.length) : null);

/**
 * The documents and timers of the events to send, for the same commit that makes them true: one for each subscribed target. Nothing is sent before that
 * commit, and no event of it is lost after it.
 */
export function deliveriesOf(
  reported: readonly ReportedEvent[],
  targets: readonly WebhookTarget[],
  service: string,
): Pick<Change, "put" | "timers"> {
  const wanted = reported.flatMap((one) => targets.filter(({ events }) => events.has(one.event)).map((target) => ({ ...one, target })));
  return {
    put: wanted.map(({ event, subject, at, target: { name } }) => {
      const deliveryId = deliveryIdOf(event, subject, name);
      const value: WebhookDelivery = { deliveryId, event, subject, target: name, at, attempts: 0, state: "waiting" };
      return { key: keys.delivery(service, deliveryId), value, expiresAt: at + KEPT_MS };
    }),
    timers: wanted.map(({ event, subject, dueIn, target: { name } }) => timerOf(deliveryIdOf(event, subject, name), service, dueIn)),
  };
}

/** Begins an attempt: it belongs to this process for as long as it may last. If the process dies meanwhile, the timer starts the next attempt. */
export function beginAttempt({ version, value }: ReadDelivery, now: number, rules: DeliveryRules): Change {
  return changed({ version, value: { ...value, attempts: value.attempts + 1 } }, "begin", now, rules, { dueIn: ATTEMPT_MS });
}

/** Whether no attempt is left: the last one was begun, and its process died in it. */
export function isUsedUp({ attempts }: WebhookDelivery, { retriesMs }: DeliveryRules): boolean {
  return attempts > retriesMs.length;
}

/** The target has it. Nothing of the delivery is left. */
export function delivered({ version, value }: ReadDelivery, rules: DeliveryRules): Change {
  return removed({ version, value }, "delivered", rules);
}

/** There is no event any more, or no target. */
export function dropped({ version, value }: ReadDelivery, rules: DeliveryRules): Change {
  return removed({ version, value }, "dropped", rules);
}

/** An attempt failed: it is retried later, by the ladder, or the delivery is given up. */
export function failed(
  { version, value }: ReadDelivery,
  reason: string,
  now: number,
  rules: DeliveryRules,
): { readonly change: Change; readonly again: number | null } {
  const wait = rules.retriesMs[value.attempts - 1];
  if (wait === undefined) return { change: givenUp({ version, value }, "failed", reason, now, rules), again: null };
  // Up to a tenth more.
  const dueIn = Math.round(wait * (1 + rules.random() / 10));
  const next = { ...value, failedAt: now, reason: reason.slice(0, MOST_REASON) };
  return { change: changed({ version, value: next }, "failed", now, rules, { dueIn }), again: dueIn };
}

/** No further attempt is made automatically: it stands in the list of given-up deliveries until an operator sends it again, or 30 days are over. */
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

/** An operator asked to send it again: it starts again, with the full number of attempts, and under its old id. */
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
