/** One acknowledgement to the broker. */
export interface Ack<Delivery> {
  readonly delivery: Delivery;
  /** True if the acknowledgement also covers every earlier delivery. */
  readonly upTo: boolean;
}

/**
 * Gathers the acks of one channel, so that deliveries that end within one turn of the event loop share a frame. The batch settles each delivery only
 * once, because a second ack of a delivery closes the channel (406).
 */
export interface AckBatch<Delivery> {
  /** Adds a delivery. Deliveries must be added in the order of arrival. */
  add(delivery: Delivery): void;
  /** Acks the delivery with the next batch. */
  ack(delivery: Delivery): void;
  /** Removes a delivery that is returned to the queue, so that no batch covers it. Returns false if the delivery was settled before. */
  giveBack(delivery: Delivery): boolean;
  /** Returns the acks to send now. */
  take(): readonly Ack<Delivery>[];
}

export function ackBatch<Delivery>(): AckBatch<Delivery> {
  /** The unsettled deliveries, in the order of arrival. */
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

  /** Returns one ack for all finished deliveries before the first unfinished one, or an empty list. */
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
