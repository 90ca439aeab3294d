import type { Change, FeedItem, StateStore } from "@toolbus/state";

export const HERE = "00";

export function keyOf(name: string, shard = HERE): string {
  return `tb:sample:{${shard}}:${name}`;
}

export const LOG = keyOf("log");

/** Returns a change that creates a document. */
export function put(name: string, shard = HERE): Change {
  const key = keyOf(name, shard);
  return { op: `put ${name}`, guards: [{ key, version: 0 }], put: [{ key, value: 1 }] };
}

/** Follows the store while the work runs. The work receives a function that returns the next item. */
export async function following(store: StateStore, work: (next: () => Promise<FeedItem>) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const feed = store.follow({ signal: stop.signal })[Symbol.asyncIterator]();
  try {
    await work(async () => {
      const { value, done } = await feed.next();
      if (done) throw new Error("The feed has ended.");
      return value;
    });
  } finally {
    stop.abort();
  }
}

/**
 * Waits until a follower knows the end of the feed. The follower asks for the end on the connection for commands. So the answer to a later command on
 * this connection shows that the follower has the end.
 */
export async function hasBegun(store: StateStore): Promise<void> {
  await store.read([]);
}
