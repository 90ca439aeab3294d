/** What one acknowledgement says to the broker. */
export interface Ack<Delivery> {
  readonly delivery: Delivery;
  /** Covers every delivery before this one as well. */
  readonly upTo: boolean;
}

/**
 * Gathers the acks of one channel, so that deliveries which end within one turn of the event loop share a frame. Each delivery is settled once,
 * however often it is asked for: a second ack of one delivery closes the channel (406).
 */
export interface AckBatch<Delivery> {
  /** One came, after all others. */
  add(delivery: Delivery): void;
  /** It shall be acked with the next batch. */
  ack(delivery: Delivery): void;
  /** It goes back to the queue, and no batch may cover it. False when it was settled before. */
  giveBack(delivery: Delivery): boolean;
  /** The acks to send now. */
  take(): readonly Ack<Delivery>[];
}

export function ackBatch<Delivery>(): AckBatch<Delivery> {
  /** Not settled, in the order of delivery. */
  const open = new Set<Delivery>();
  const finished = new Set<Delivery>();
  return {
    add: (delivery) => void open.add(delivery),
    ack(delivery) {
      if (open.has(delivery)) finished.add(delivery);
    },
    giveBack: (delivery) => !finished.has(delivery) && open.delete(delivery),
    take() {
      const acks = contiguous();
      for (const delivery of finished) {
        open.delete(delivery);
        acks.push({ delivery, upTo: false });
      }
      finished.clear();
      return acks;
    },
  };

  /** One ack for the finished deliveries before which every other is settled. */
  function contiguous(): Ack<Delivery>[] {
    const run: Delivery[] = [];
    for (const delivery of open) {
      if (!finished.delete(delivery)) break;
      open.delete(delivery);
      run.push(delivery);
    }
    return run.slice(-1).map((delivery) => ({ delivery, upTo: run.length > 1 }));
  }
}
