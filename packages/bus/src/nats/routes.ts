import type { QueuePlace } from "./topology.ts";

/** The topics that have a queue. A stream accepts every subject of its kind, so only the consumer of a topic proves that its queue exists. */
export interface Routes {
  /** Returns whether the queue existed at the last check. If that check is old, this method repeats it in the background. */
  has(place: QueuePlace): boolean;
  /** Asks the server whether the queue exists. Rejects if the server does not answer. */
  find(place: QueuePlace): Promise<boolean>;
  /** Remembers a queue that was declared. */
  add(place: QueuePlace): void;
}

/**
 * Remembers queues for a while. The remembered state may be outdated for a moment. That is acceptable, because only operators remove queues, and
 * messages for a removed queue wait in the stream. `exists` asks the server. `now` is a monotonic clock, in milliseconds.
 */
export function routes(exists: (place: QueuePlace) => Promise<boolean>, now: () => number): Routes {
  /** The time, on the clock of `now`, at which each queue was last seen. */
  const seen = new Map<string, number>();
  const looking = new Map<string, Promise<boolean>>();
  const found: Routes = {
    has(place) {
      const at = seen.get(place.durable);
      if (at === undefined) return false;
      // If the server does not answer, the next message checks again.
      if (now() - at > SEEN_LATELY_MS) found.find(place).catch(() => undefined);
      return true;
    },
    find(place) {
      const underWay = looking.get(place.durable) ?? look(place).finally(() => looking.delete(place.durable));
      looking.set(place.durable, underWay);
      return underWay;
    },
    add: (place) => void seen.set(place.durable, now()),
  };
  return found;

  async function look(place: QueuePlace): Promise<boolean> {
    const isThere = await exists(place);
    if (isThere) found.add(place);
    else seen.delete(place.durable);
    return isThere;
  }
}

const SEEN_LATELY_MS = 60_000;
