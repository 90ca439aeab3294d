import { counted, type Message } from "@toolbus/contracts";
import { deadLetterMessage } from "./dead-letter.ts";
import { type DeliveryHistory, deliveryHistory } from "./delivery-history.ts";
import type { Delivery, Disposition, MessageBus, Subscription } from "./message-bus.ts";
import { faultFields, loggedId, type PipelineLog } from "./pipeline-log.ts";
import { runWithin } from "./run-within.ts";
import { readStrictly, type Strictness } from "./strict-message.ts";
import { type Unusable, unusableMessages } from "./unusable-messages.ts";

/** The verdict of a pipeline's handler on a delivery. */
export type Verdict = Disposition | Unusable;

export interface ConsumeOptions<T> extends Strictness<T> {
  readonly topic: string;
  /** How many handlers run at once. */
  readonly concurrency: number;
  /** How long a handler may take: then its signal aborts and the delivery is retried. In milliseconds, as all times here. */
  readonly deadlineMs: number;
  readonly handler: (message: Message, body: T, context: DeliveryContext) => Promise<Verdict>;
  /** How often a message is delivered before it becomes a dead letter; 10 by default. */
  readonly maxDeliveries?: number;
  /** Delays of the first, second, … retry after a failure, the last one for all that follow; 1, 5, 30 s by default. */
  readonly backoffMs?: readonly number[];
  /** A message older than this becomes a dead letter unread; 24 h by default. Ledgers are kept longer, so no late repeat finds its row gone. */
  readonly maxAgeMs?: number;
  /** How many unusable messages become dead letters per minute; `LETTERS_PER_MINUTE` by default. */
  readonly lettersPerMinute?: number | undefined;
  readonly log: PipelineLog;
  /** Wall clock, to judge the age of messages and to date dead letters. */
  readonly clock: () => number;
}

export interface DeliveryContext {
  /** 1 the first time. */
  readonly count: number;
  readonly redelivered: boolean;
  /** Aborts at the deadline, and when the delivery was taken back. */
  readonly signal: AbortSignal;
}

/**
 * Consumes a queue with the rules that every service shares:
 * - A message that cannot be read (size, type, age, JSON, schema) becomes a dead letter at once. It never reaches the handler.
 * - Of those that no consumer can work on (malformed, or "unusable" to the handler) the first `LETTERS_PER_MINUTE` of a minute become dead letters. The
 *   others
 *   are dropped, and a line says how many. A well-formed message that came too late, or failed, is never among them.
 * - A handler that throws or is late is retried with back-off. The log says where it threw, never what the error quotes.
 * - A message that is delivered `maxDeliveries` times without an ack becomes a dead letter, whether its handlers failed, asked for another try or
 *   took their process with them.
 * - A dead letter is published to `dead.<topic>` before the delivery is acked. While that fails, even as unroutable, the delivery is retried with
 *   back-off and an error in the log: a message is never dropped because a reader is missing.
 */
export async function consumeQueue<T>(bus: MessageBus, options: ConsumeOptions<T>): Promise<Subscription> {
  const rules: Rules<T> = { ...DEFAULTS, ...options };
  const tries: DeliveryHistory = deliveryHistory(HISTORY_BOUNDS);
  const unusable = unusableMessages({ ...rules, perMinute: rules.lettersPerMinute });
  const subscription = await bus.consume(rules.topic, settle, { concurrency: rules.concurrency });
  return { stop: () => subscription.stop().finally(unusable.stop) };

  async function settle(delivery: Delivery): Promise<Disposition> {
    const { message, count } = delivery;
    const judged = await judge(delivery, rules);
    // Taken back: it comes again by itself, and nobody waits for this verdict.
    if (delivery.signal.aborted) return judged.kind === "unusable" ? { kind: "dead-letter", reason: judged.reason } : judged;
    const verdict = judged.kind === "retry" && count >= rules.maxDeliveries ? exhausted(judged.reason, count) : judged;
    switch (verdict.kind) {
      case "ack":
        tries.forget(message.id);
        return verdict;
      case "retry":
        tries.add(message.id, { at: rules.clock(), reason: verdict.reason });
        return verdict;
      case "dead-letter":
        return bury(delivery, verdict.reason);
      case "unusable":
        if (!unusable.take({ id: message.id, reason: verdict.reason })) return { kind: "ack" };
        return bury(delivery, verdict.reason, unusable.promise);
    }
  }

  /** Publishes the dead letter, then acks: a crash between the two gives two dead letters, never none. */
  async function bury(
    { message, count }: Delivery,
    reason: string,
    unconfirmed: (id: string) => void = () => undefined,
  ): Promise<Disposition> {
    const { topic, clock, log } = rules;
    // Another message may have the same id, and its tries do not belong to this one.
    const history = count > 1 ? tries.of(message.id).slice(1 - count) : [];
    try {
      await bus.publish(deadLetterMessage(message, { queue: topic, reason, deliveries: count, history, now: clock() }));
    } catch (error) {
      tries.add(message.id, { at: clock(), reason });
      unconfirmed(message.id);
      log.error({ ...faultFields(error), ...about(message, topic, count) }, "a dead letter was not confirmed and is published again later");
      return { kind: "retry", after: backoff(count, rules), reason };
    }
    log.warn({ ...about(message, topic, count), reason }, "a message became a dead letter");
    tries.forget(message.id);
    return { kind: "ack" };
  }
}

type Rules<T> = ConsumeOptions<T> & typeof DEFAULTS;

const DEFAULTS: { readonly maxDeliveries: number; readonly backoffMs: readonly number[]; readonly maxAgeMs: number } = {
  maxDeliveries: 10,
  backoffMs: [1000, 5000, 30_000],
  maxAgeMs: 24 * 60 * 60 * 1000,
};
const HISTORY_BOUNDS = { messages: 1000, tries: 10 };

/** The verdict of the message itself and its handler on a delivery, before the number of tries counts. */
async function judge<T>(delivery: Delivery, rules: Rules<T>): Promise<Verdict> {
  const { message, count } = delivery;
  // Tries that ended without a result may have taken their process down, so it is not even read again.
  if (count > rules.maxDeliveries) return exhausted("none was acked", count - 1);
  const read = readStrictly(message, rules, { now: rules.clock(), maxAgeMs: rules.maxAgeMs });
  if (!read.ok) return { kind: read.illFormed ? "unusable" : "dead-letter", reason: read.reason };
  const ending = await runWithin<Verdict>(rules.deadlineMs, delivery.signal, (signal) =>
    rules.handler(message, read.body, { count, redelivered: count > 1, signal }),
  );
  switch (ending.kind) {
    case "done":
      return ending.value;
    case "threw":
      return failed(faultFields(ending.thrown), "the handler failed", delivery, rules);
    case "late":
      return failed({ code: "deadline" }, `the handler took longer than ${rules.deadlineMs} ms`, delivery, rules);
  }
}

function failed<T>(fields: { readonly code: string }, what: string, delivery: Delivery, rules: Rules<T>): Disposition {
  const { message, count } = delivery;
  if (!delivery.signal.aborted) rules.log.error({ ...fields, ...about(message, rules.topic, count) }, what);
  return { kind: "retry", after: backoff(count, rules), reason: `${what} (${fields.code})` };
}

function exhausted(reason: string, deliveries: number): Disposition {
  return { kind: "dead-letter", reason: `delivered ${counted(deliveries, "time")}; ${reason}` };
}

function backoff<T>(count: number, { backoffMs }: Rules<T>): number {
  return backoffMs[Math.min(count, backoffMs.length) - 1] ?? 0;
}

function about(message: Message, topic: string, count: number): object {
  return { messageId: loggedId(message.id), topic, count };
}
