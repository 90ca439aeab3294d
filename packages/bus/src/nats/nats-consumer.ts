import { setTimeout as wait } from "node:timers/promises";
import { createInbox, type Msg } from "@nats-io/transport-node";
import { ackDelay } from "../ack-delay.ts";
import {
  BusUnavailable,
  type Delivery,
  type DeliveryHandler,
  type Disposition,
  RETRY_AFTER_THROW_MS,
  type Subscription,
} from "../message-bus.ts";
import { faultFields, loggedId, type PipelineLog } from "../pipeline-log.ts";
import { ACK, type DeliveryInfo, nak, TERM } from "./acknowledgement.ts";
import { type BackOff, backOff } from "./back-off.ts";
import { type Held, heldDeliveries } from "./held-deliveries.ts";
import type { Link, Live } from "./link.ts";
import { messageOf } from "./nats-message.ts";
import { type PullSession, pullSession } from "./pull-session.ts";
import type { NatsTimings } from "./timings.ts";
import type { QueuePlace } from "./topology.ts";

export interface NatsConsumer extends Subscription {
  /** False while deliveries cannot arrive, because the session with the server has ended and the next one has not begun. */
  readonly open: boolean;
}

export interface NatsConsumerOptions {
  readonly topic: string;
  readonly handler: DeliveryHandler;
  readonly concurrency: number;
  readonly link: Link;
  /** Creates the topic's queue if it is missing. */
  readonly declare: (live: Live) => Promise<QueuePlace>;
  /** Publishes a dead letter. Resolves when it is confirmed. */
  readonly bury: (delivery: Delivery, reason: string) => Promise<void>;
  readonly timings: NatsTimings;
  /** How long a stop waits for running handlers, in milliseconds. */
  readonly drainMs: number;
  readonly log: PipelineLog;
  /** Returns a random number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * Consumes a topic's queue. Resolves when deliveries may arrive, and rejects with `BusUnavailable` if the queue is unavailable now. Later, the
 * consumer never gives up. When its session with the server ends (a lost connection, a deleted consumer or stream, silence), it declares the queue
 * again and starts a new session. Deliveries outlive the session, because their answers use any current connection.
 */
export async function natsConsumer(options: NatsConsumerOptions): Promise<NatsConsumer> {
  const { topic, handler, concurrency, link, declare, bury, timings, drainMs, log, random } = options;
  const held = heldDeliveries({ oursForMs: timings.ackWaitMs - timings.workingMs, now: () => performance.now(), send });
  const ending = new AbortController();
  const idle = Promise.withResolvers<void>();
  /** The number of running handlers, including those of lost deliveries. Each one counts against `concurrency`. */
  let running = 0;
  /** The acks that wait for each other. */
  let finished: Finished[] = [];
  const acking = ackDelay(ACK_WITHIN_MS, sendAcks);
  let open = true;
  let stopped: Promise<void> | null = null;
  let session = await begin(AbortSignal.timeout(timings.confirmMs));
  const extending = setInterval(() => held.extend(), timings.workingMs).unref();
  void supervise();
  return {
    get open() {
      return ending.signal.aborted || open;
    },
    stop: () => (stopped ??= stop()),
  };

  async function begin(signal: AbortSignal): Promise<PullSession> {
    const live = await link.next(signal);
    const place = await declare(live);
    // If the connection was lost during the declaration, no session may begin on it, because it accepts no subscription.
    if (link.live !== live) throw new BusUnavailable("The connection to NATS was lost while a queue was declared.");
    return pullSession({
      live,
      place,
      inbox: createInbox(`${live.inbox}.pull`),
      room: () => concurrency - running,
      askFrom: Math.ceil(concurrency / 4),
      heartbeatMs: timings.heartbeatMs,
      pullMs: timings.pullMs,
      onDelivery: (msg, info) => void deliver(msg, info, place),
    });
  }

  async function deliver(msg: Msg, info: DeliveryInfo, { stream }: QueuePlace): Promise<void> {
    running++;
    const one = held.take(messageOf(msg, `${stream}:${info.sequence}`), msg.reply ?? "", info);
    const disposition = await dispositionOf(handler, one.delivery);
    if (disposition.kind === "ack") ackSoon({ one, evenIfLost: disposition.evenIfLost === true });
    else {
      const answer = disposition.kind === "dead-letter" ? await buried(one, disposition.reason) : nak(disposition.after);
      if (!one.answer(answer)) await answerLater(one, answer);
    }
    leave();
  }

  function leave(): void {
    running--;
    if (ending.signal.aborted && running === 0) idle.resolve();
    session.ask();
  }

  /** Sends the ack within `ACK_WITHIN_MS`. If the process dies in this time, the server delivers the message again. */
  function ackSoon(ack: Finished): void {
    finished.push(ack);
    if (ending.signal.aborted) acking.now();
    else acking.later();
  }

  function sendAcks(): void {
    const acks = finished;
    finished = [];
    for (const { one, evenIfLost } of acks) {
      if (one.answer(ACK, { evenIfLost })) continue;
      // A stop waits for this ack as it waits for a running handler.
      running++;
      void answerLater(one, ACK).then(leave);
    }
  }

  async function buried({ delivery }: Held, reason: string): Promise<string> {
    try {
      await bury(delivery, reason);
      return TERM;
    } catch (error) {
      const { message, count } = delivery;
      log.error(
        { ...faultFields(error), topic, messageId: loggedId(message.id), count },
        "a dead letter was not confirmed; the message comes again",
      );
      return nak(RETRY_AFTER_THROW_MS);
    }
  }

  /**
   * Sends an answer on the next connection, if the delivery still belongs to this consumer by then. Otherwise the server delivers the message again.
   */
  async function answerLater(one: Held, answer: string): Promise<void> {
    while (one.isOurs()) {
      const live = await link.next(AbortSignal.timeout(timings.ackWaitMs)).catch(() => null);
      if (!live || one.answer(answer)) return;
    }
  }

  function send(reply: string, payload: string): boolean {
    const { live } = link;
    live?.nc.publish(reply, payload);
    return live !== null;
  }

  async function supervise(): Promise<void> {
    const pauses = backOff({ firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS, random });
    while (!ending.signal.aborted) {
      const since = performance.now();
      const reason = await session.over;
      if (ending.signal.aborted) return;
      open = false;
      log.warn({ topic, reason }, "a consumer has to begin again");
      void session.stop();
      if (performance.now() - since > LONGEST_PAUSE_MS) pauses.reset();
      const next = await beginAgain(pauses);
      if (!next) return;
      session = next;
      open = true;
      log.warn({ topic }, "a consumer has its queue again");
    }
    await session.stop();
  }

  async function beginAgain(pauses: BackOff): Promise<PullSession | null> {
    while (!ending.signal.aborted) {
      try {
        await wait(pauses.next(), undefined, { signal: ending.signal });
        return await begin(ending.signal);
      } catch (error) {
        if (!ending.signal.aborted) log.error({ ...faultFields(error), topic }, "a consumer cannot have its queue and tries again");
      }
    }
    return null;
  }

  async function stop(): Promise<void> {
    ending.abort();
    acking.now();
    if (running === 0) idle.resolve();
    const giveUp = setTimeout(() => {
      held.giveBack("The consumer stopped, and its time to finish is over.");
      idle.resolve();
    }, drainMs);
    await Promise.all([idle.promise, Promise.race([session.stop(), wait(STOP_MS, undefined, { ref: false })])]);
    clearTimeout(giveUp);
    clearInterval(extending);
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;
/** How long a server may take to confirm that it sends no more messages. */
const STOP_MS = 1000;
/** How long an ack may wait for others, in milliseconds. */
const ACK_WITHIN_MS = 5;

/** A delivery whose handler is done, and whose ack is not sent yet. */
interface Finished {
  readonly one: Held;
  readonly evenIfLost: boolean;
}

async function dispositionOf(handler: DeliveryHandler, delivery: Delivery): Promise<Disposition> {
  try {
    return await handler(delivery);
  } catch {
    return { kind: "retry", after: RETRY_AFTER_THROW_MS, reason: "the handler threw" };
  }
}
