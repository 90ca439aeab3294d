import { createFeed } from "../feed.ts";
import type { FeedItem } from "../state-store.ts";
import { FEED_BLOCK_MS, headsOf, readFeeds } from "./feed-reader.ts";
import type { RedisConnection } from "./redis-connection.ts";
import type { RedisContext } from "./redis-context.ts";

export interface RedisFeed {
  follow(signal: AbortSignal): AsyncGenerator<FeedItem, void>;
  /** Ends every follower. */
  close(): void;
}

/**
 * Reads the feeds of all shards once for all followers of this process, and only while it has followers. One server needs one blocking connection. A
 * cluster needs one per shard, because no command reads streams of two slots.
 */
export function redisFeed(
  { connection, keys: layout, together }: RedisContext,
  another: (blockMs: number) => RedisConnection,
  random: () => number,
  warn: (sentence: string) => void,
): RedisFeed {
  const feed = createFeed();
  let followers = 0;
  let stopReading: () => void = () => undefined;
  return {
    async *follow(signal) {
      if (followers++ === 0) stopReading = startReading();
      try {
        yield* feed.follow(signal);
      } finally {
        if (--followers === 0) stopReading();
      }
    },
    close() {
      feed.close();
      stopReading();
    },
  };

  function startReading(): () => void {
    const stop = new AbortController();
    const readers = together.map((names) => {
      const feeds = names.map(layout.feed);
      // The request uses the connection of the commits and is sent before this turn ends. So this process's next commits happen after the request.
      const heads = headsOf(connection, feeds);
      // The reader awaits the heads when it is connected. They may fail before that.
      heads.catch(() => undefined);
      const reader = another(FEED_BLOCK_MS);
      void readFeeds({ feeds, heads, connection: reader, publish: feed.publish, random, warn }, stop.signal);
      return reader;
    });
    return () => {
      stop.abort();
      for (const reader of readers) reader.abandon();
    };
  }
}
