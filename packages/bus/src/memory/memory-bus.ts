import { type Message, topics } from "@toolbus/contracts";
import { deadLetterMessage } from "../dead-letter.ts";
import { BUS_IS_CLOSED, BusUnavailable, type MessageBus, type Subscription, Unroutable } from "../message-bus.ts";
import { arrivals, type Faults } from "./faults.ts";
import { type Held, type MemoryQueue, memoryQueue } from "./memory-queue.ts";
import { cancellableSchedule, nodeSchedule, type Schedule } from "./schedule.ts";

export interface MemoryBusOptions {
  /** Returns a random number from 0 up to 1, which decides which messages the faults hit. */
  readonly random?: () => number;
  /** The wall clock, in milliseconds, which dates dead letters. */
  readonly clock?: () => number;
  /** Runs deliveries, delays and drain times. A simulator passes its own schedule. */
  readonly schedule?: Schedule;
  readonly faults?: Faults;
  /** How long a stop waits for running handlers, in milliseconds. The default is 25 s. A value of 0 simulates a consumer that crashes. */
  readonly drainMs?: number;
}

export interface MemoryBus extends MessageBus {
  /** Replaces the faults from the next message on. `{}` removes all faults. */
  setFaults(faults: Faults): void;
}

/**
 * Returns the reference adapter of the port, which runs in this process. Its queues exist as long as the bus does. Like a broker, it delivers at
 * least once. If a test sets faults, it duplicates, delays, reorders or loses messages on purpose. A dead queue without consumers keeps only its last
 * 1,000 dead letters, so that nothing grows for ever.
 */
export function memoryBus(options: MemoryBusOptions = {}): MemoryBus {
  const { random = Math.random, clock = Date.now, drainMs = DRAIN_MS } = options;
  const clockwork = cancellableSchedule(options.schedule ?? nodeSchedule);
  const { schedule } = clockwork;
  const queues = new Map<string, MemoryQueue>();
  const listeners = new Map<string, Set<Listener>>();
  let faults = options.faults ?? {};
  let state: "open" | "draining" | "closed" = "open";
  let closing: Promise<void> | null = null;

  return {
    async publish(message) {
      refuseWhen("closed");
      const queue = queues.get(message.topic);
      if (!queue) throw new Unroutable(`No queue takes "${message.topic}": none of its consumers has ever started.`);
      const kept = frozen(message);
      for (const after of arrivals(faults, random)) enqueue(queue, { message: kept, deliveries: 0 }, after);
    },

    async consume(topic, handler, { concurrency }) {
      refuseWhen("draining");
      queueOf(topics.dead(topic));
      return queueOf(topic).consume(handler, concurrency);
    },

    async announce(message) {
      refuseWhen("closed");
      const kept = frozen(message);
      // Current listeners receive the message, and later ones do not.
      const hearers = [...(listeners.get(message.topic) ?? [])];
      for (const after of arrivals(faults, random)) schedule(() => tell(hearers, kept), after);
    },

    async listen(topic, hear) {
      refuseWhen("draining");
      const listener: Listener = { hear };
      const others = listeners.get(topic);
      if (others) others.add(listener);
      else listeners.set(topic, new Set([listener]));
      return forgetting(() => listeners.get(topic)?.delete(listener));
    },

    unready: () => (state === "open" ? [] : [BUS_IS_CLOSED]),

    close: () => (closing ??= close()),

    setFaults(next) {
      faults = next;
    },
  };

  function refuseWhen(from: "draining" | "closed"): void {
    if (state === "closed" || state === from) throw new BusUnavailable("The bus is closed.");
  }

  function queueOf(topic: string): MemoryQueue {
    const known = queues.get(topic);
    if (known) return known;
    const keepsUnread = topic.startsWith(topics.dead("")) ? UNREAD_LETTERS : Number.POSITIVE_INFINITY;
    const queue = memoryQueue({ schedule, drainMs, keepsUnread, onDeadLetter: (held, reason) => bury(topic, held, reason) });
    queues.set(topic, queue);
    return queue;
  }

  function enqueue(queue: MemoryQueue, held: Held, after: number): void {
    if (after > 0) schedule(() => queue.add(held), after);
    else queue.add(held);
  }

  function bury(topic: string, { message, deliveries }: Held, reason: string): void {
    const letter = deadLetterMessage(message, { queue: topic, reason, deliveries, history: [], now: clock() });
    queueOf(letter.topic).add({ message: frozen(letter), deliveries: 0 });
  }

  function tell(hearers: readonly Listener[], message: Message): void {
    for (const listener of hearers) {
      if (!listeners.get(message.topic)?.has(listener)) continue;
      try {
        listener.hear(message);
      } catch {
        // If one listener throws, the others must still receive the message.
      }
    }
  }

  async function close(): Promise<void> {
    state = "draining";
    listeners.clear();
    await Promise.all([...queues.values()].map((queue) => queue.close()));
    state = "closed";
    clockwork.cancelAll();
  }
}

interface Listener {
  readonly hear: (message: Message) => void;
}

const DRAIN_MS = 25_000;
const UNREAD_LETTERS = 1000;

/** Returns a copy that neither the publisher nor a consumer can change, as if it had been sent over a network. */
function frozen(message: Message): Message {
  return Object.freeze({ ...message, attributes: Object.freeze({ ...message.attributes }) });
}

function forgetting(forget: () => void): Subscription {
  return {
    async stop() {
      forget();
    },
  };
}
