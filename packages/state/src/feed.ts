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
  /** The buffer was full: its items are lost, and the follower must learn of a gap. */
  gap: boolean;
  wake: () => void;
}

/** How many items wait for one slow reader before it gets a gap instead. */
export const FEED_CAPACITY = 1024;

/** Each follower has its own buffer of `capacity` items, so a slow one costs bounded memory and never delays a commit. */
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
            // The rest of this batch is older than the gap. If the gap comes first, "read again" stays the last word.
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
