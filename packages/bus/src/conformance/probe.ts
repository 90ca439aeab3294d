import { message, type Message } from "@toolbus/contracts";
import type { Delivery, Disposition, Subscription } from "../message-bus.ts";
import type { CaseContext } from "./bus-case.ts";

/** A sample message; `id` distinguishes it. */
export function probe(topic: string, id: string, parts: Partial<Message> = {}): Message {
  return { ...message({ id, topic, type: "toolbus.probe", source: "conformance", now: Date.now(), body: { id } }), ...parts };
}

/** Many probes, their ids counting from 1. */
export function probes(topic: string, count: number): readonly Message[] {
  return Array.from({ length: count }, (_, index) => probe(topic, `probe-${index + 1}`));
}

export const ACK: Disposition = { kind: "ack" };

/** The deliveries of one or more consumers, in order, for a case that wants to wait for them. */
export interface Recording<T> {
  readonly items: readonly T[];
  add(item: T): void;
  /** Resolves with the items once they satisfy a condition; rejects when the case's patience is exhausted. */
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

/** Consumes a topic into a record; `decide` settles each delivery, an ack by default. */
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

/** True once every id was delivered. */
export function allArrived(ids: readonly string[]): (deliveries: readonly Delivery[]) => boolean {
  return (deliveries) => {
    const arrived = new Set(idsOf(deliveries));
    return ids.every((id) => arrived.has(id));
  };
}

export function idsOf(deliveries: readonly { readonly message: Message }[]): readonly string[] {
  return deliveries.map(({ message: { id } }) => id);
}

/** The promise's value, or an error that says what did not happen in time. */
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`This did not happen within ${ms} ms: ${what}.`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
