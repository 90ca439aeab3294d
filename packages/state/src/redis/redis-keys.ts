/**
 * The layout of all keys in Redis. The shard between braces is the hash tag of Redis Cluster, so one shard is one slot, and a commit is one script. A
 * key begins with its family, so that access rules can be written as key patterns. Each other kind of data under a caller's name has its own ending.
 * So a document and a log with the same name have different keys.
 */
export interface RedisKeys {
  /** A string: a head of 98 bytes (version 16, commit of the last op 16, expiry 26 or blanks, SHA-1 of the last op 40), then the JSON text. */
  document(key: string): string;
  /** A list: the expiry time of the log ("-" for never), then the entries. The place of an entry is its sequence number. */
  log(log: string): string;
  /** A list of live batches. Each batch begins with its expiry time and a space. */
  live(log: string): string;
  /** A sorted set of a service's timers by the time when they are due. */
  timers(service: string, shard: string): string;
  /** A sorted set of a service's messages by the time when they are due. */
  outbox(service: string, shard: string): string;
  /** A hash of the contents of a service's messages, by id: JSON text, a line feed, the topic. */
  outboxRows(service: string, shard: string): string;
  /** A sorted set of an index's members in one shard. */
  index(index: string, shard: string): string;
  /** The number of the shard's last commit. */
  commits(shard: string): string;
  /** The marks of the shard's last 8192 commits, eight bytes each, as a ring. */
  marks(shard: string): string;
  /** A string: how far the store's time is ahead of its server's clock, and the store's time at the last write of this string. */
  readonly clock: string;
  /** A capped stream of appends and live batches. Its ids start at 0-1 and have no gaps. */
  feed(shard: string): string;
  /** The bytes of a blob under their hash. Blobs, `store` and `clock` belong to no shard. */
  blob(hash: string): string;
  /** A hash: the format of all this data, the number of shards, and a random identity. */
  readonly store: string;
}

/** The approximate number of items that the feed of a shard keeps. */
export const FEED_LENGTH = 1024;

/** The number of bytes before a document's text. */
export const DOCUMENT_HEAD = 98;

/** Returns the keys of one deployment. A namespace, which must contain no brace, is prepended to every key. */
export function redisKeys(namespace: string | null): RedisKeys {
  const prefix = namespace === null ? "" : `${namespace}:`;
  return {
    document: (key) => prefix + key,
    log: (log) => `${prefix}${log}#log`,
    live: (log) => `${prefix}${log}#live`,
    timers: (service, shard) => `${prefix}tb:timers.${unbraced(service)}:{${shard}}`,
    outbox: (service, shard) => `${prefix}tb:outbox.${unbraced(service)}:{${shard}}`,
    outboxRows: (service, shard) => `${prefix}tb:outbox.${unbraced(service)}:{${shard}}#rows`,
    index: (index, shard) => `${prefix}tb:${unbraced(index)}:{${shard}}#index`,
    commits: (shard) => `${prefix}tb:commits:{${shard}}`,
    marks: (shard) => `${prefix}tb:marks:{${shard}}`,
    clock: `${prefix}tb:clock`,
    feed: (shard) => `${prefix}tb:feed:{${shard}}`,
    blob: (hash) => `${prefix}tb:blob:${hash}`,
    store: `${prefix}tb:store`,
  };
}

/** Encodes braces. The first braces of a key are its hash tag, so no name before the shard may contain any. */
function unbraced(name: string): string {
  return name.replaceAll(/[{}]/g, (brace) => (brace === "{" ? "%7B" : "%7D"));
}
