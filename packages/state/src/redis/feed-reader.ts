import { setTimeout as wait } from "node:timers/promises";
import type { Json } from "@toolbus/contracts";
import { type FeedItem, StoreRefused } from "../state-store.ts";
import { reconnectDelay } from "./fail-fast-options.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { listOf, textIn } from "./redis-replies.ts";

/** How long one read waits for an item, in milliseconds. */
export const FEED_BLOCK_MS = 5000;

const ITEMS_AT_ONCE = 512;

export interface FeedReaderOptions {
  /** Streams that one command may read together. */
  readonly feeds: readonly string[];
  /** Where each stream ended when the first follower arrived. Reading starts after these places. */
  readonly heads: Promise<readonly string[]>;
  /** A separate connection, because the reads block it. */
  readonly connection: RedisConnection;
  readonly publish: (item: FeedItem) => void;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Receives the reason why nothing can be read, if waiting does not fix it. */
  readonly warn: (sentence: string) => void;
}

/**
 * Reads feeds until the signal aborts, and reports a gap whenever items may have been missed. The ids of a feed increase by one. A jump means that
 * the cap removed items or that somebody else wrote to the feed. After a lost connection, the server may have lost some items.
 */
export async function readFeeds(options: FeedReaderOptions, signal: AbortSignal): Promise<void> {
  const { feeds, heads, connection, publish, random, warn } = options;
  let places: string[] | null = null;
  let failures = 0;
  for (;;) {
    try {
      await connection.ready(signal);
      if (signal.aborted) return;
      if (places) await readNext(places);
      else if (failures === 0) places = [...(await heads)];
      else places = await startAgain();
      failures = 0;
    } catch (error) {
      // Other commands report what is wrong with the server. This reader only retries until somebody fixes it.
      if (failures++ === 0 && error instanceof StoreRefused) warn(error.message);
      places = null;
      await wait(reconnectDelay(failures, random), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async function startAgain(): Promise<string[]> {
    const found = await headsOf(connection, feeds);
    // Publishes the gap only when the heads are known. Followers read their logs after the gap. If they read earlier, they would miss the items that
    // arrive between their read and the heads, because this reader starts after the heads.
    publish({ kind: "gap" });
    return found;
  }

  async function readNext(at: string[]): Promise<void> {
    const reply = await connection.command("xread", ["COUNT", ITEMS_AT_ONCE, "BLOCK", FEED_BLOCK_MS, "STREAMS", ...feeds, ...at]);
    if (reply !== null) return publishAll(at, listOf(reply));
    // If somebody empties a feed, its ids start from 1 again. Without this check, the reader would receive nothing until the ids pass its old place.
    const found = await headsOf(connection, feeds);
    if (found.every((head, n) => orderOf(head) >= orderOf(at[n] ?? NOWHERE))) return;
    at.splice(0, at.length, ...found);
    publish({ kind: "gap" });
  }

  function publishAll(at: string[], streams: readonly unknown[]): void {
    for (const stream of streams) {
      const [feed, entries] = listOf(stream);
      const n = feeds.indexOf(textIn(feed));
      for (const entry of listOf(entries)) {
        const [id, fields] = listOf(entry);
        const place = textIn(id);
        if (orderOf(place) !== orderOf(at[n] ?? NOWHERE) + 1n) publish({ kind: "gap" });
        at[n] = place;
        publish(itemOf(listOf(fields)));
      }
    }
  }
}

/** Returns where feeds end: the id of the last item, or the id before the first one for an empty feed. */
export async function headsOf({ command }: Pick<RedisConnection, "command">, feeds: readonly string[]): Promise<string[]> {
  const replies = await Promise.all(feeds.map((feed) => command("xrevrange", [feed, "+", "-", "COUNT", 1])));
  return replies.map((reply) => {
    const [last] = listOf(reply);
    return last === undefined ? NOWHERE : textIn(listOf(last)[0]);
  });
}

const NOWHERE = "0-0";

/**
 * Returns a number that orders ids. Our ids are `0-1`, `0-2`, and so on. Every service may write to a feed, so an id may have any value in both of
 * its 64-bit parts.
 */
function orderOf(id: string): bigint {
  const [time = "", number = ""] = id.split("-");
  return (BigInt(time) << 64n) + BigInt(number);
}

function itemOf([, log, kind, value]: readonly unknown[]): FeedItem {
  if (kind === "sequence") return { kind: "append", log: textIn(log), sequence: Number(textIn(value)) };
  const batch: Json = JSON.parse(textIn(value));
  return { kind: "live", log: textIn(log), batch };
}
