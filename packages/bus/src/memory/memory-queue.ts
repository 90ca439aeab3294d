import type { Message } from "@toolbus/contracts";
import { type Delivery, type DeliveryHandler, type Disposition, RETRY_AFTER_THROW_MS, type Subscription } from "../message-bus.ts";
import { fifo } from "./fifo.ts";
import type { Schedule } from "./schedule.ts";

/** An entry of a queue: a message and the number of its deliveries. */
export interface Held {
  readonly message: Message;
  readonly deliveries: number;
  /** The consumer that last asked for another try. */
  readonly givenBackBy?: Consumer;
}

/** One queue with its competing consumers. */
export interface MemoryQueue {
  add(held: Held): void;
  consume(handler: DeliveryHandler, concurrency: number): Subscription;
  /** Stops deliveries for good and waits for running handlers. */
  close(): Promise<void>;
}

export interface MemoryQueueOptions {
  readonly schedule: Schedule;
  /** How long a stop waits for running handlers before it takes their deliveries back. */
  readonly drainMs: number;
  /** The number of messages that the queue keeps while it has no consumers. It drops the oldest messages above this number. */
  readonly keepsUnread: number;
  readonly onDeadLetter: (held: Held, reason: string) => void;
}

export function memoryQueue({ schedule, drainMs, keepsUnread, onDeadLetter }: MemoryQueueOptions): MemoryQueue {
  const waiting = fifo<Held>();
  let consumers: readonly Consumer[] = [];
  let delivering = false;
  let closed = false;

  const queue: MemoryQueue = {
    add(held) {
      waiting.push(held);
      if (consumers.length === 0 && waiting.size > keepsUnread) waiting.shift();
      deliverSoon();
    },
    consume(handler, concurrency) {
      const consumer: Consumer = {
        handler,
        concurrency,
        underWay: new Set(),
        takenBack: new AbortController(),
        idle: null,
        stopping: null,
      };
      consumers = [...consumers, consumer];
      deliverSoon();
      return { stop: () => stop(consumer) };
    },
    async close() {
      closed = true;
      await Promise.all(consumers.map(stop));
    },
  };
  return queue;

  /** Delivers in the next turn of the event loop. So `publish` returns first, and a busy queue does not starve timers and sockets. */
  function deliverSoon(): void {
    if (delivering || closed || waiting.size === 0) return;
    delivering = true;
    schedule(() => {
      delivering = false;
      for (let consumer = nextFree(); consumer && waiting.size > 0; consumer = nextFree()) {
        const held = waiting.shift();
        if (!held) return;
        // If one consumer gave a message back, another may be able to handle it.
        const taker = held.givenBackBy === consumer ? (nextFree(consumer) ?? consumer) : consumer;
        void deliver(taker, { ...held, deliveries: held.deliveries + 1 });
      }
    }, 0);
  }

  /** Returns the free consumer with the fewest running handlers, so that the work spreads. */
  function nextFree(but?: Consumer): Consumer | undefined {
    if (closed) return undefined;
    let best: Consumer | undefined;
    for (const consumer of consumers) {
      const { size } = consumer.underWay;
      if (consumer === but || consumer.stopping || size >= consumer.concurrency) continue;
      if (!best || size < best.underWay.size) best = consumer;
    }
    return best;
  }

  async function deliver(consumer: Consumer, held: Held): Promise<void> {
    consumer.underWay.add(held);
    const disposition = await dispositionOf(consumer.handler, {
      message: held.message,
      count: held.deliveries,
      signal: consumer.takenBack.signal,
    });
    // The queue took the delivery back while the handler ran. The message is in the queue again, so this verdict is ignored.
    if (!consumer.underWay.delete(held)) return;
    settle(consumer, held, disposition);
    if (consumer.underWay.size === 0) consumer.idle?.();
    deliverSoon();
  }

  function settle(consumer: Consumer, held: Held, disposition: Disposition): void {
    switch (disposition.kind) {
      case "ack":
        return;
      case "retry":
        schedule(() => queue.add({ ...held, givenBackBy: consumer }), disposition.after);
        return;
      case "dead-letter":
        onDeadLetter(held, disposition.reason);
    }
  }

  function stop(consumer: Consumer): Promise<void> {
    return (consumer.stopping ??= drain(consumer));
  }

  async function drain(consumer: Consumer): Promise<void> {
    if (consumer.underWay.size > 0) {
      const { promise: idle, resolve } = Promise.withResolvers<void>();
      consumer.idle = resolve;
      const cancel = schedule(() => takeBack(consumer), drainMs);
      await idle;
      cancel();
    }
    consumers = consumers.filter((other) => other !== consumer);
  }

  function takeBack(consumer: Consumer): void {
    const abandoned = [...consumer.underWay];
    consumer.underWay.clear();
    consumer.takenBack.abort(new DOMException("The consumer stopped, and its time to finish is over.", "AbortError"));
    for (const held of abandoned) queue.add(held);
    consumer.idle?.();
  }
}

interface Consumer {
  readonly handler: DeliveryHandler;
  readonly concurrency: number;
  readonly underWay: Set<Held>;
  /** Aborts when the queue takes the consumer's deliveries back. */
  readonly takenBack: AbortController;
  /** Set while a stop waits for the last handler. */
  idle: (() => void) | null;
  /** Set once the consumer accepts no more deliveries. It resolves when the last handler has ended or was given up. */
  stopping: Promise<void> | null;
}

async function dispositionOf(handler: DeliveryHandler, delivery: Delivery): Promise<Disposition> {
  try {
    return await handler(delivery);
  } catch {
    return { kind: "retry", after: RETRY_AFTER_THROW_MS, reason: "the handler threw" };
  }
}
