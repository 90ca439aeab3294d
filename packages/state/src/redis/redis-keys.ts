/**
 * The layout of all keys in Redis. The shard between braces is the hash tag of Redis Cluster: one shard is one slot, and a commit is one script. A family
 * comes first, so that access rules can be written as key patterns. Other data beside a name of the caller has its own ending, so that a document and
 * a log of one name never meet.
 */
export interface RedisKeys {
  /**
   * A string: a head of 98 bytes (version 16, commit of the last op 16, expiry 26, SHA-1 of that op 40; blanks for no expiry), then the JSON text.
   */
  document(key: string): string;
  /** A list: when the log expires ("-" for never), then the entries; an entry's place is its sequence number. */
  log(log: string): string;
  /** A list of live batches, each after its expiry time and a space. */
  live(log: string): string;
  /** A sorted set of a service's timers by the time they are due. */
  timers(service: string, shard: string): string;
  /** A sorted set of a service's messages by the time they are due. */
  outbox(service: string, shard: string): string;
  /** A hash of the contents of those messages, by id: JSON text, a line feed, the topic. */
  outboxRows(service: string, shard: string): string;
  /** A sorted set of an index's members in one shard. */
  index(index: string, shard: string): string;
  /** The number of the shard's last commit. */
  commits(shard: string): string;
  /** The marks of the shard's last 8192 commits, eight bytes each, as a ring. */
  marks(shard: string): string;
  /** How far the store's time is ahead of its server's clock, and what it was when it was last requested. */
  readonly clock: string;
  /** A stream of appends and live batches, capped; its ids count from 0-1 without a gap. */
  feed(shard: string): string;
  /** Bytes under their hash; the only thing besides `store` that belongs to no shard. */
  blob(hash: string): string;
  /** A hash: the format of all this, the number of shards, and a random identity. */
  readonly store: string;
}

/** How many items the feed of a shard keeps, roughly. */
export const FEED_LENGTH = 1024;

/** How many bytes precede a document's text. */
export const DOCUMENT_HEAD = 98;

/** The keys of one deployment. A namespace, which must contain no brace, comes before every key of it. */
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

/** The first braces of a key are its hash tag: no name before the shard may contain any. */
function unbraced(name: string): string {
  return name.replaceAll(/[{}]/g, (brace) => (brace === "{" ? "%7B" : "%7D"));
}
