import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AckBatch, ackBatch } from "./ack-batch.ts";

const PREFETCH = 40;

/** Returns the broker's side of a channel. It settles deliveries, and throws where an acknowledgement would close the channel. */
function brokerOf(batch: AckBatch<number>) {
  const open = new Set<number>();
  const settled: number[] = [];
  const settle = (tag: number): void => {
    if (!open.delete(tag)) throw new Error(`unknown delivery tag ${tag}`);
    settled.push(tag);
  };
  return {
    settled,
    open,
    deliver(tag: number) {
      open.add(tag);
      batch.add(tag);
    },
    giveBack(tag: number) {
      if (batch.giveBack(tag)) settle(tag);
    },
    takeAcks() {
      const acks = batch.take();
      for (const { delivery, upTo } of acks) {
        if (!open.has(delivery)) throw new Error(`unknown delivery tag ${delivery}`);
        for (const tag of open) if (tag === delivery || (upTo && tag < delivery)) settle(tag);
      }
      return acks.length;
    },
  };
}

describe("a batch of acks", () => {
  it("covers a run of finished deliveries with one acknowledgement", () => {
    const batch = ackBatch<number>(PREFETCH);
    const broker = brokerOf(batch);
    for (const tag of [1, 2, 3, 4]) broker.deliver(tag);
    for (const tag of [3, 1, 2]) batch.ack(tag);
    expect(broker.takeAcks()).toBe(1);
    expect(broker.settled).toEqual([1, 2, 3]);
  });

  it("acks one by one behind a delivery that is not finished", () => {
    const batch = ackBatch<number>(PREFETCH);
    const broker = brokerOf(batch);
    for (const tag of [1, 2, 3]) broker.deliver(tag);
    batch.ack(2);
    batch.ack(3);
    expect(broker.takeAcks()).toBe(2);
    expect([...broker.open]).toEqual([1]);
  });

  it("settles a delivery once, however often that is requested", () => {
    const batch = ackBatch<number>(PREFETCH);
    const broker = brokerOf(batch);
    broker.deliver(1);
    batch.ack(1);
    batch.ack(1);
    broker.giveBack(1);
    broker.takeAcks();
    batch.ack(1);
    broker.giveBack(1);
    broker.takeAcks();
    expect(broker.settled).toEqual([1]);
  });

  it.each([
    [1, 1],
    [2, 2],
    [4, 3],
    [128, 96],
  ])("is crowded, with a prefetch of %d, from %d unsettled deliveries on", (prefetch, crowd) => {
    const batch = ackBatch<number>(prefetch);
    for (let tag = 1; tag <= crowd; tag++) {
      expect(batch.crowded).toBe(false);
      batch.add(tag);
    }
    expect(batch.crowded).toBe(true);
    // Whoever is done still counts, because the broker has not heard of it.
    batch.ack(1);
    expect(batch.crowded).toBe(true);
    batch.take();
    expect(batch.crowded).toBe(false);
  });

  it("acks exactly what was finished, in any order and in any batches", () => {
    const step = fc.record({ tag: fc.nat({ max: 30 }), what: fc.constantFrom("ack", "giveBack", "take") });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.array(step, { maxLength: 80 }), (count, steps) => {
        const batch = ackBatch<number>(PREFETCH);
        const broker = brokerOf(batch);
        const finished = new Set<number>();
        for (let tag = 1; tag <= count; tag++) broker.deliver(tag);
        for (const { tag, what } of steps) {
          if (what === "take") broker.takeAcks();
          else if (tag >= 1 && tag <= count) {
            if (what === "ack") batch.ack(tag);
            else broker.giveBack(tag);
            finished.add(tag);
          }
        }
        broker.takeAcks();
        expect(broker.settled.toSorted((a, b) => a - b)).toEqual([...finished].toSorted((a, b) => a - b));
      }),
    );
  });
});
