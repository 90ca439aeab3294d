import type { FeedItem, StateStore } from "../state-store.ts";
import { soon } from "./soon.ts";

/** Follows the store until `work` resolves. `next` returns the next item, and rejects if the item does not arrive soon. */
export async function following(store: StateStore, work: (next: () => Promise<FeedItem>) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const feed = store.follow({ signal: stop.signal })[Symbol.asyncIterator]();
  try {
    await work(async () => {
      const { value, done } = await soon("the next item of the feed", feed.next());
      if (done) throw new Error("The feed has ended.");
      return value;
    });
  } finally {
    stop.abort();
  }
}
