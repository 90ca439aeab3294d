import { type Json, keys, parseWebhookDelivery, shardOf, type WebhookDelivery } from "@toolbus/contracts";
import type { Change, StateStore, TimerRow } from "@toolbus/state";
import { attributeNames, type Log, measure, metricNames } from "@toolbus/telemetry";
import type { Outbox } from "../outbox.ts";
import {
  ANSWER_WITHIN_MS,
  type AttemptOutcome,
  channelOf,
  type Channels,
  type Sending,
  sendThrough,
  type WebhookContent,
} from "./channel.ts";
import type { ResolveName } from "./network-guard.ts";
import { webhookChannel } from "./send-webhook.ts";
import {
  beginAttempt,
  delivered,
  deliveriesOf,
  deliveryOfTimer,
  deliveryTimer,
  type DeliveryRules,
  dropped,
  failed,
  givenUp,
  isUsedUp,
  type ReadDelivery,
  sentAgain,
  type ReportedEvent,
} from "./webhook-delivery.ts";
import type { Target, WebhookPlan } from "./webhook-targets.ts";

export interface WebhooksOptions extends Omit<DeliveryRules, "retriesMs"> {
  readonly state: StateStore;
  readonly plan: WebhookPlan;
  /** Returns the events of a change before its commit. */
  readonly webhookEventsIn: (change: Change) => readonly ReportedEvent[];
  /** Builds the content from the store when the webhook is sent. Resolves to null if the event no longer exists. */
  readonly contentOf: (delivery: WebhookDelivery) => Promise<WebhookContent | null>;
  /** The channels that the service has in addition to webhooks. */
  readonly channels?: Omit<Channels, "webhook">;
  readonly log: Log;
  /** Resolves names. By default the system resolves them. */
  readonly resolve?: ResolveName;
}

/**
 * Notifies targets of committed events, with retries. After a crash of a process another process continues, so a target may receive an event twice.
 */
export interface Webhooks {
  /** Returns an outbox that uses the given one. Each of its commits also records the events to send. */
  telling(outbox: Outbox): Outbox;
  /** Handles a due timer of a delivery. Resolves to false for any other timer. Does not wait for the target's answer. */
  onTimer(timer: TimerRow): Promise<boolean>;
  /** Sends a delivery again after it was given up. Resolves to false if the delivery does not exist or was not given up. */
  again(deliveryId: string): Promise<boolean>;
  /** Aborts the attempts that are under way. Another process repeats them when their timers are due. */
  stop(): Promise<void>;
}

// The maximum number of simultaneous attempts per target, so that a target that hangs delays only its own deliveries.
const MOST_OF_A_TARGET = 8;
const TRIES = 5;

export function startWebhooks(options: WebhooksOptions): Webhooks {
  const { state, plan, webhookEventsIn, contentOf, log, service, resolve } = options;
  const channels: Channels = { webhook: webhookChannel({ allowed: plan.allowed, resolve }), ...options.channels };
  const rules: DeliveryRules = { ...options, retriesMs: plan.retriesMs };
  const targets = new Map(plan.targets.map((target) => [target.name, target]));
  const stopping = new AbortController();
  const underWay = new Map<string, Set<Promise<void>>>();
  // The targets that answered 410, until this process ends or the target accepts a webhook again.
  const gone = new Set<string>();

  return {
    telling: (outbox) => ({
      commit: (shard, change) => outbox.commit(shard, noted(change)),
      stop: () => outbox.stop(),
    }),
    async onTimer({ id, shard }) {
      const deliveryId = deliveryOfTimer(id);
      if (deliveryId === null) return false;
      const found = await read(deliveryId);
      if (!found || found.read.value.state !== "waiting") await setTimer(shard, deliveryId, found?.read.version ?? 0, null);
      // A store that restarts after a crash makes every timer due. The event of a reminder must still wait for its time.
      else if (found.now < found.read.value.at) await setTimer(shard, deliveryId, found.read.version, found.read.value.at - found.now);
      else await attempt(found.now, found.read);
      return true;
    },
    async again(deliveryId) {
      for (let n = 0; n < TRIES; n++) {
        const found = await read(deliveryId);
        if (!found || found.read.value.state === "waiting") return false;
        gone.delete(found.read.value.target);
        const { outcome } = await commit(deliveryId, sentAgain(found.read, found.now, rules));
        if (outcome === "ok") return true;
      }
      return false;
    },
    async stop() {
      stopping.abort();
      await Promise.all([...underWay.values()].flatMap((sent) => [...sent]));
    },
  };

  function noted(change: Change): Change {
    if (targets.size === 0) return change;
    const { put = [], timers = [] } = deliveriesOf(webhookEventsIn(change), plan.targets, service);
    if (put.length === 0) return change;
    return { ...change, put: [...(change.put ?? []), ...put], timers: [...(change.timers ?? []), ...timers] };
  }

  async function read(deliveryId: string): Promise<{ readonly now: number; readonly read: ReadDelivery } | null> {
    const { now, documents } = await state.read([keys.delivery(service, deliveryId)]);
    const [document] = documents;
    const parsed = document && parseWebhookDelivery(document.value);
    return document && parsed?.ok ? { now, read: { version: document.version, value: parsed.value } } : null;
  }

  async function attempt(now: number, before: ReadDelivery): Promise<void> {
    const { deliveryId, target: name } = before.value;
    const target = targets.get(name);
    if (!target) {
      log.warn(about(before.value), "a webhook is dropped, because the file of targets no longer has its target");
      return void (await commit(deliveryId, dropped(before, rules)));
    }
    if (gone.has(name)) return giveUp(before, "gone", GONE, now);
    if (isUsedUp(before.value, rules)) return giveUp(before, "failed", before.value.reason ?? "its last attempt was cut off", now);
    const content = await contentOf(before.value);
    if (!content || (target.tenant !== undefined && target.tenant !== content.tenant))
      return void (await commit(deliveryId, dropped(before, rules)));
    const sending = underWay.get(name) ?? new Set();
    underWay.set(name, sending);
    // The claim has already set the timer again, so a later attempt follows.
    if (sending.size >= MOST_OF_A_TARGET || stopping.signal.aborted) return;
    const begun = beginAttempt(before, now, rules);
    const reply = await commit(deliveryId, begun);
    // Another process has changed the delivery.
    if (reply.outcome !== "ok") return;
    const value = { ...before.value, attempts: before.value.attempts + 1 };
    const sent = send(target, { version: reply.commit, value }, content, reply.now).finally(() => sending.delete(sent));
    sending.add(sent);
  }

  async function send(target: Target, begun: ReadDelivery, content: WebhookContent, now: number): Promise<void> {
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const outcome = await attemptOf({ target, delivery: begun.value, content, now, signal });
    // The stop interrupted this attempt. When its timer is due, another process repeats it.
    if (stopping.signal.aborted && outcome.kind === "failed") return;
    try {
      await settle(begun, outcome, now);
    } catch (error) {
      log.warn({ error, ...about(begun.value) }, "the end of a webhook's attempt could not be recorded; the attempt is repeated");
    }
  }

  async function attemptOf(sending: Sending<Target>): Promise<AttemptOutcome> {
    try {
      return (await sendThrough(channels, sending)) ?? NO_CHANNEL;
    } catch (error) {
      // The store was unavailable, or a channel has a bug. Neither may end the process. The delivery is retried.
      log.error({ error, ...about(sending.delivery) }, "an attempt ended with a fault of this service; it is repeated");
      return { kind: "failed", reason: "this service had a fault" };
    }
  }

  async function settle(begun: ReadDelivery, outcome: AttemptOutcome, now: number): Promise<void> {
    const { deliveryId, target } = begun.value;
    if (outcome.kind === "delivered") {
      gone.delete(target);
      count(begun.value, "delivered");
      log.info(about(begun.value), "a webhook was delivered");
      return void (await commit(deliveryId, delivered(begun, rules)));
    }
    if (outcome.kind === "gone") {
      gone.add(target);
      log.error(
        about(begun.value),
        "a target of webhooks said that it is gone (410): this process sends nothing more to it until it restarts, or until an operator sends a delivery again",
      );
      return giveUp(begun, "gone", GONE, now);
    }
    if (outcome.kind === "refused") return giveUp(begun, "failed", outcome.reason, now);
    const { change, again } = failed(begun, outcome, now, rules);
    if (again === null) return giveUp(begun, "failed", outcome.reason, now);
    count(begun.value, "failed");
    log.warn({ ...about(begun.value), why: outcome.reason, againInMs: again }, "a webhook was not accepted and is sent again");
    await commit(deliveryId, change);
  }

  async function giveUp(read: ReadDelivery, how: "failed" | "gone", reason: string, now: number): Promise<void> {
    const { outcome } = await commit(read.value.deliveryId, givenUp(read, how, reason, now, rules));
    if (outcome !== "ok") return;
    count(read.value, "given_up");
    log.error({ ...about(read.value), why: reason }, "a webhook was given up; an operator can send it again");
  }

  function commit(deliveryId: string, change: Change) {
    return state.commit(shardOf(deliveryId), change);
  }

  async function setTimer(shard: string, deliveryId: string, version: number, dueIn: number | null): Promise<void> {
    await state.commit(shard, {
      op: `hook:${deliveryId}:timer:${rules.newNonce()}`,
      guards: [{ key: keys.delivery(service, deliveryId), version }],
      timers: [{ service, id: deliveryTimer(deliveryId), dueIn }],
    });
  }
}

const GONE = "it answered 410: it is gone";
const NO_CHANNEL: AttemptOutcome = { kind: "refused", reason: "this service does not send to targets of this kind" };

function about(delivery: WebhookDelivery): { readonly [name: string]: Json } {
  const { deliveryId, event, subject, target, attempts } = delivery;
  return { deliveryId, event, subject, target, channel: channelOf(delivery), attempts };
}

function count({ event, target }: WebhookDelivery, outcome: "delivered" | "failed" | "given_up"): void {
  measure(metricNames.webhookAttempts, 1, {
    [attributeNames.webhookEvent]: event,
    [attributeNames.webhookTarget]: target,
    [attributeNames.outcome]: outcome,
  });
}
