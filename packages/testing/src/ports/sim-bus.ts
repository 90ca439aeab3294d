import {
  BusUnavailable,
  type Delivery,
  type DeliveryHandler,
  type Disposition,
  type MemoryBus,
  type MessageBus,
  type Subscription,
} from "@toolbus/bus";
import type { Message } from "@toolbus/contracts";
import type { SimProcess } from "../clockwork/sim-process.ts";
import type { Observe } from "./observation.ts";
import { oneWay, portCall, type Wire } from "./wire.ts";

export interface SimBusOptions {
  readonly wire: Wire;
  readonly process: SimProcess;
  readonly bus: MemoryBus;
  readonly observe: Observe;
}

/**
 * Makes the bus for one process. When the process dies, its deliveries return to their queues. Sometimes they also return while the process still
 * handles them.
 */
export function simBus({ wire, process, bus, observe }: SimBusOptions): MessageBus {
  const { clockwork, faults, random } = wire;
  return {
    publish: (message) => call(`publish ${message.id}`, () => publish(message)),
    async consume(topic, handler, options) {
      const underWay = new Set<(taken: Disposition) => void>();
      const subscription = await subscribe(`consume ${topic}`, () =>
        bus.consume(topic, (delivery) => deliver(delivery, handler, underWay), options),
      );
      process.onKill(() => {
        for (const takeBack of underWay) takeBack({ kind: "retry", after: oneWay(wire), reason: "its consumer died" });
      });
      return subscription;
    },
    announce: (message) => call(`announce ${message.id}`, () => bus.announce(message)),
    listen: (topic, listener) =>
      subscribe(`listen ${topic}`, () =>
        bus.listen(topic, (message) => {
          if (faults.hit("unheard")) return;
          process.after(oneWay(wire), `${process.name}: hears ${message.id}`, () => listener(message));
        }),
      ),
    unready: () => bus.unready(),
    async close() {
      // The broker continues when one of its clients disconnects.
    },
  };

  function call<T>(label: string, execute: () => Promise<T>, repeatable = true): Promise<T> {
    const unanswered = (): BusUnavailable => new BusUnavailable("The broker did not confirm.");
    return portCall(wire, process, { label: `${process.name}: ${label}`, execute, unanswered, timeoutMs: TIMEOUT_MS, repeatable });
  }

  /** Ends the subscriptions of a dead process, as a broker does when a connection is lost. This includes a subscription that was being created. */
  function subscribe(label: string, execute: () => Promise<Subscription>): Promise<Subscription> {
    const made = async (): Promise<Subscription> => {
      const subscription = await execute();
      if (process.alive) process.onKill(() => void subscription.stop());
      else void subscription.stop();
      return subscription;
    };
    return call(label, made, false);
  }

  /** Publishes a message. The message is confirmed when the promise resolves. The broker may still lose a confirmed message. */
  async function publish(message: Message): Promise<void> {
    observe({ kind: "message", at: clockwork.now, id: message.id, by: process.role, message });
    if (faults.hit("lost_message")) return wire.note(`the broker loses ${message.id}`);
    if (faults.hit("duplicate")) arriveLater(message, random.magnitude(1, 120_000));
    if (faults.hit("late_message")) return arriveLater(message, random.magnitude(1000, 180_000));
    if (faults.hit("reorder")) return arriveLater(message, random.magnitude(1, 2000));
    await bus.publish(message);
  }

  function arriveLater(message: Message, delayMs: number): void {
    clockwork.schedule(null, delayMs, `broker: late ${message.id}`, () => void bus.publish(message).catch(() => undefined));
  }

  /** Gives a delivery to the process, and the process's disposition to the broker. The broker may have decided otherwise meanwhile. */
  function deliver(delivery: Delivery, handler: DeliveryHandler, underWay: Set<(taken: Disposition) => void>): Promise<Disposition> {
    const { message, count } = delivery;
    const { promise, resolve } = Promise.withResolvers<Disposition>();
    const takenBack = new AbortController();
    const settle = (disposition: Disposition): void => {
      underWay.delete(settle);
      resolve(disposition);
    };
    underWay.add(settle);
    if (!process.alive) settle({ kind: "retry", after: oneWay(wire), reason: "its consumer is dead" });
    process.after(oneWay(wire), `${process.name}: gets ${message.id} (${count})`, () => {
      handler({ message, count, signal: takenBack.signal }).then(
        (disposition) => answer(disposition),
        () => answer({ kind: "retry", after: 1000, reason: "the handler threw" }),
      );
    });
    if (faults.hit("taken_back")) {
      clockwork.schedule(null, random.magnitude(1, 20_000), `broker: takes ${message.id} back`, () => {
        if (!underWay.has(settle)) return;
        settle({ kind: "retry", after: 0, reason: "its consumer said nothing for too long" });
        process.after(oneWay(wire), `${process.name}: lost ${message.id}`, () =>
          takenBack.abort(new Error("The delivery was taken back.")),
        );
      });
    }
    return promise;

    /** Sends the ack to the broker, which takes time. If the ack is lost, the message arrives again. */
    function answer(disposition: Disposition): void {
      const lost = faults.hit("lost_ack");
      clockwork.schedule(null, oneWay(wire), `${process.name}: ${disposition.kind} ${message.id}`, () =>
        settle(lost ? { kind: "retry", after: random.magnitude(10, 10_000), reason: "the ack was lost" } : disposition),
      );
    }
  }
}

const TIMEOUT_MS = 5000;
