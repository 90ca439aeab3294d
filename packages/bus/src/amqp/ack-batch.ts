/** What one acknowledgement says to the broker. */
export interface Ack<Delivery> {
  readonly delivery: Delivery;
  /** Covers every delivery before this one as well. */
  readonly upTo: boolean;
}

/**
 * Gathers the acks of one channel, so that deliveries that end within one turn of the event loop share a frame. Each delivery is settled once, however
 * often that is requested: a second ack of one delivery closes the channel (406).
 */
export interface AckBatch<Delivery> {
  /** A delivery arrived, after all others. */
  add(delivery: Delivery): void;
  /** It is to be acked with the next batch. */
  ack(delivery: Delivery): void;
  /** It goes back to the queue, and no batch may cover it. False if it was settled before. */
  giveBack(delivery: Delivery): boolean;
  /** The acks to send now. */
  take(): readonly Ack<Delivery>[];
}

export function ackBatch<Delivery>(): AckBatch<Delivery> {
  /** Not settled yet, in the order of delivery. */
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

  /** One ack for the finished deliveries that have no unsettled one before them. */
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
