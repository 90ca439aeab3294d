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
  /** The number of handlers that may run at once. */
  readonly concurrency: number;
  /** How long a handler may take. At this deadline its signal aborts, and the pipeline retries the delivery. All times here are in milliseconds. */
  readonly deadlineMs: number;
  readonly handler: (message: Message, body: T, context: DeliveryContext) => Promise<Verdict>;
  /** The number of deliveries after which a message becomes a dead letter. The default is 10. */
  readonly maxDeliveries?: number;
  /**
   * The delays before the first, second and later retries after a failure. The last delay applies to all further retries. The default is 1, 5
   * and 30 s.
   */
  readonly backoffMs?: readonly number[];
  /**
   * The maximum age of a message. An older message becomes a dead letter and does not reach the handler. The default is 24 h. Workers keep their
   * ledgers longer, so a late repeat of a write always finds its row.
   */
  readonly maxAgeMs?: number;
  /** The number of unusable messages that may become dead letters per minute. The default is `LETTERS_PER_MINUTE`. */
  readonly lettersPerMinute?: number | undefined;
  readonly log: PipelineLog;
  /** The wall clock, which gives the age of messages and the date of dead letters. */
  readonly clock: () => number;
}

export interface DeliveryContext {
  /** The number of this delivery, from 1. */
  readonly count: number;
  readonly redelivered: boolean;
  /** Aborts at the deadline, or when the bus takes the delivery back. */
  readonly signal: AbortSignal;
}

/**
 * Consumes a queue with the rules that every service shares:
 * - A message that cannot be read (size, type, age, JSON, schema) becomes a dead letter at once. It never reaches the handler.
 * - No consumer can work on a malformed message, or on one that its handler calls "unusable". The first `LETTERS_PER_MINUTE` of these in a minute
 *   become dead letters. The pipeline drops the others and logs their number. It never drops a well-formed message, even if the message is late or
 *   its handler failed.
 * - A delivery is retried with back-off if its handler throws or exceeds the deadline. The log says where the handler threw, and never
 *   quotes the error.
 * - A message that is delivered `maxDeliveries` times without an ack becomes a dead letter. Its handlers may have failed, asked for another try or
 *   crashed their process.
 * - The pipeline publishes a dead letter to `dead.<topic>` before it acks the delivery. While the publish fails, even as unroutable, the pipeline
 *   retries the delivery with back-off and logs an error. So a missing reader never causes the loss of a message.
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
    // The bus took this delivery back. It delivers the message again, and ignores this verdict.
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

  /** Publishes the dead letter and then acks. A crash between the two causes a second dead letter and loses nothing. */
  async function bury(
    { message, count }: Delivery,
    reason: string,
    unconfirmed: (id: string) => void = () => undefined,
  ): Promise<Disposition> {
    const { topic, clock, log } = rules;
    // Another message may have the same id, and its tries must not appear in this history.
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

/** Returns the verdict of the message and its handler on a delivery. The caller then applies the limit of deliveries. */
async function judge<T>(delivery: Delivery, rules: Rules<T>): Promise<Verdict> {
  const { message, count } = delivery;
  // Earlier tries ended without a result and may have crashed their process. So the pipeline does not even parse the message again.
  if (count > rules.maxDeliveries) return exhausted("none was acked", count - 1);
  const read = readStrictly(message, rules, { now: rules.clock(), maxAgeMs: rules.maxAgeMs });
  if (!read.ok) return { kind: read.illFormed ? "unusable" : "dead-letter", reason: read.reason };
  const ending = await runWithin<Verdict>(rules.deadlineMs, delivery.signal, (signal) =>
    rules.handler(message, read.body, {
      count,
      redelivered: count > 1,
      get signal() {
        return signal();
      },
    }),
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
