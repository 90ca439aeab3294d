import { message, type Message } from "@toolbus/contracts";
import type { Delivery, Disposition, Subscription } from "../message-bus.ts";
import type { CaseContext } from "./bus-case.ts";

/** Returns a sample message, which `id` identifies. */
export function probe(topic: string, id: string, parts: Partial<Message> = {}): Message {
  return { ...message({ id, topic, type: "toolbus.probe", source: "conformance", now: Date.now(), body: { id } }), ...parts };
}

/** Returns several probes with ids numbered from 1. */
export function probes(topic: string, count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => probe(topic, `probe-${index + 1}`));
}

export const ACK: Disposition = { kind: "ack" };

/** A list of items that a case can wait for, such as the deliveries of one or more consumers, in order. */
export interface Recording<T> {
  readonly items: readonly T[];
  add(item: T): void;
  /** Resolves with the items once they satisfy the condition. Rejects if they do not within `patienceMs`. */
  until(what: string, condition: (items: readonly T[]) => boolean): Promise<readonly T[]>;
}

export function record<T>({ patienceMs }: Pick<CaseContext, "patienceMs">): Recording<T> {
  const items: T[] = [];
  const waiters = new Set<() => void>();
  return {
    items,
    add(item) {
      items.push(item);
      for (const wake of waiters) wake();
    },
    until(what, condition) {
      const { promise, resolve } = Promise.withResolvers<readonly T[]>();
      const wake = (): void => {
        if (condition(items)) resolve([...items]);
      };
      waiters.add(wake);
      wake();
      return within(patienceMs, what, promise).finally(() => waiters.delete(wake));
    },
  };
}

/** Consumes a topic into a record. `decide` settles each delivery, and by default it acks. */
export async function collect(
  context: Omit<CaseContext, "refuse">,
  topic: string,
  decide: (delivery: Delivery) => Disposition | Promise<Disposition> = () => ACK,
  options: { readonly bus?: CaseContext["bus"]; readonly concurrency?: number; readonly into?: Recording<Delivery> } = {},
): Promise<{ readonly deliveries: Recording<Delivery>; readonly subscription: Subscription }> {
  const { bus = context.bus, concurrency = 1, into: deliveries = record<Delivery>(context) } = options;
  const handler = async (delivery: Delivery): Promise<Disposition> => {
    deliveries.add(delivery);
    return decide(delivery);
  };
  return { deliveries, subscription: await bus.consume(topic, handler, { concurrency }) };
}

/** Returns a condition that is true once every id was delivered. */
export function allArrived(ids: readonly string[]): (deliveries: readonly Delivery[]) => boolean {
  return (deliveries) => {
    const arrived = new Set(idsOf(deliveries));
    return ids.every((id) => arrived.has(id));
  };
}

export function idsOf(deliveries: readonly { readonly message: Message }[]): readonly string[] {
  return deliveries.map(({ message: { id } }) => id);
}

/** Resolves with the promise's value. Rejects after `ms` milliseconds with an error that says what did not happen. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`This did not happen within ${ms} ms: ${what}.`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
