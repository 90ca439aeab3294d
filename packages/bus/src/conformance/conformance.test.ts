import { describe, expect, it } from "vitest";
import { memoryBus } from "../memory/memory-bus.ts";
import type { MessageBus, Subscription } from "../message-bus.ts";
import { brokenBuses } from "./broken-buses.ts";
import { busCases } from "./bus-cases.ts";
import { describeMessageBus } from "./describe-message-bus.ts";
import { type OpenBus, runCase } from "./run-case.ts";

// A suite that nothing fails proves nothing: here it must notice every broken promise.
describe("the message bus suite", () => {
  it.concurrent.each(brokenBuses)("notices a bus that $fault", async ({ noticedBy, open }) => {
    const busCase = busCases.find(({ name }) => name === noticedBy);
    if (!busCase) throw new Error(`There is no case "${noticedBy}".`);
    await expect(runCase(busCase, { open, namespace: noticedBy, patienceMs: 1500 })).rejects.toBeInstanceOf(Error);
  });

  it("has a broken bus for every area", () => {
    const areaOf = (noticedBy: string) => busCases.find(({ name }) => name === noticedBy)?.area;
    expect(new Set(brokenBuses.map(({ noticedBy }) => areaOf(noticedBy)))).toEqual(new Set(busCases.map(({ area }) => area)));
  });

  it("names every case once", () => {
    const names = busCases.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describeMessageBus("memory, its queues shared by connections", {
  open: sharedQueues(),
  features: { durable: true, ordered: "single-consumer", delayedRetry: true },
  skip: [
    { test: "a closed bus rejects everything", reason: "the shared bus behind a connection stays open" },
    {
      test: "a bus is not ready from the beginning of its close on, and says why",
      reason: "the shared bus behind a connection stays open",
    },
  ],
});

/** Connections to one memory bus a namespace: a close ends a connection and leaves the queues. */
function sharedQueues(): OpenBus {
  const buses = new Map<string, MessageBus>();
  return async ({ namespace, drainMs }) => {
    const bus = buses.get(namespace) ?? memoryBus({ drainMs });
    buses.set(namespace, bus);
    const subscriptions: Subscription[] = [];
    const kept = async (starting: Promise<Subscription>): Promise<Subscription> => {
      const subscription = await starting;
      subscriptions.push(subscription);
      return subscription;
    };
    return {
      ...bus,
      consume: (topic, handler, options) => kept(bus.consume(topic, handler, options)),
      listen: (topic, listener) => kept(bus.listen(topic, listener)),
      close: async () => void (await Promise.all(subscriptions.map((subscription) => subscription.stop()))),
    };
  };
}
