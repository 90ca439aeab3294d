/** One acknowledgement to the broker. */
export interface Ack<Delivery> {
  readonly delivery: Delivery;
  /** True if the acknowledgement also covers every earlier delivery. */
  readonly upTo: boolean;
}

/**
 * Gathers the acks of one channel, so that deliveries that end at about the same time share a frame. The batch settles each delivery only once, because
 * a second ack of a delivery closes the channel (406).
 */
export interface AckBatch<Delivery> {
  /**
   * True if the broker may soon give no more deliveries, because it has not heard of the end of too many: those at work, and those whose ack is not taken.
   */
  readonly crowded: boolean;
  /** Adds a delivery. Deliveries must be added in the order of arrival. */
  add(delivery: Delivery): void;
  /** Acks the delivery with the next batch. */
  ack(delivery: Delivery): void;
  /** Removes a delivery that is returned to the queue, so that no batch covers it. Returns false if the delivery was settled before. */
  giveBack(delivery: Delivery): boolean;
  /** Returns the acks to send now. */
  take(): readonly Ack<Delivery>[];
}

/** Makes a batch for a channel on which the broker leaves at most `prefetch` deliveries unsettled. */
export function ackBatch<Delivery>(prefetch: number): AckBatch<Delivery> {
  const crowd = Math.ceil(prefetch * CROWDED_SHARE);
  /** The unsettled deliveries, in the order of arrival. */
  const open = new Set<Delivery>();
  const finished = new Set<Delivery>();
  return {
    get crowded() {
      return open.size >= crowd;
    },
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

/** The share of the prefetch at which a channel is crowded. The rest is room for deliveries that arrive while the acks are on their way. */
const CROWDED_SHARE = 3 / 4;
