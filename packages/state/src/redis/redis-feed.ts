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
 * The feeds of all shards, read once for all followers of this process, and only while there are followers: one blocking connection on one server, one per
 * shard in a cluster, where no command reads streams of two slots.
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
      // On the connection of the commits and before this turn ends: this process's next commits come after it.
      const heads = headsOf(connection, feeds);
      // The reader asks for them when it is connected, which may be after they fail.
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
