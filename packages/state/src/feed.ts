import type { FeedItem } from "./state-store.ts";

/** Distributes appends and live batches to the followers in this process. */
export interface Feed {
  publish(item: FeedItem): void;
  /** See `Logs.follow`. */
  follow(signal: AbortSignal): AsyncGenerator<FeedItem, void>;
  /** Ends every follower. */
  close(): void;
}

interface Follower {
  items: FeedItem[];
  /** The buffer was full and its items were dropped, so the follower must receive a gap. */
  gap: boolean;
  wake: () => void;
}

/** How many items wait for one slow reader before the feed replaces them by a gap. */
export const FEED_CAPACITY = 1024;

/** Makes a feed with a buffer of `capacity` items per follower. A slow follower costs bounded memory and never delays a commit. */
export function createFeed(capacity = FEED_CAPACITY): Feed {
  const followers = new Set<Follower>();
  let closed = false;
  return {
    publish(item) {
      for (const follower of followers) {
        if (follower.items.length >= capacity) {
          follower.items = [];
          follower.gap = true;
        }
        follower.items.push(item);
        follower.wake();
      }
    },
    async *follow(signal) {
      const follower: Follower = { items: [], gap: false, wake: () => {} };
      const onAbort = (): void => follower.wake();
      signal.addEventListener("abort", onAbort);
      followers.add(follower);
      try {
        while (!closed && !signal.aborted) {
          if (follower.gap) {
            follower.gap = false;
            yield { kind: "gap" };
            continue;
          }
          const items = follower.items;
          follower.items = [];
          for (const item of items) {
            if (closed || signal.aborted) return;
            yield item;
            // The rest of this batch is older than the gap. The gap must be the last item, so that the reader reads its logs again.
            if (follower.gap) break;
          }
          if (items.length === 0) await new Promise<void>((resolve) => (follower.wake = resolve));
        }
      } finally {
        followers.delete(follower);
        signal.removeEventListener("abort", onAbort);
      }
    },
    close() {
      closed = true;
      for (const follower of followers) follower.wake();
    },
  };
}
