import type { QueuePlace } from "./topology.ts";

/** Which topics have a queue: a stream takes every subject of its kind, so only the consumer of a topic shows it. */
export interface Routes {
  /** Whether the queue existed lately. If that was a while ago it is checked again, and nobody waits for that. */
  has(place: QueuePlace): boolean;
  /** Looks for the queue at the server. Rejects when the server does not answer. */
  find(place: QueuePlace): Promise<boolean>;
  /** Remembers a queue that was declared. */
  add(place: QueuePlace): void;
}

/**
 * Only operators remove queues, so the knowledge may be old; messages that come meanwhile wait in the stream. `exists` asks the server, `now` is a
 * monotonic clock, in milliseconds.
 */
export function routes(exists: (place: QueuePlace) => Promise<boolean>, now: () => number): Routes {
  /** When each queue was last seen, by `now`. */
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
