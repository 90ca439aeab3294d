/** The most recent keys of many. */
export interface RecentKeys {
  add(key: string): void;
  has(key: string): boolean;
  /** Forgets the key. Returns whether it was known. */
  delete(key: string): boolean;
}

/**
 * Remembers at least the last `most / 2` keys and at most `most`. It drops the oldest keys half at a time. To drop a single key, a set would have to
 * find its first one, and it steps over all that were deleted there before (2 us a call with 10,000 keys).
 */
export function recentKeys(most: number): RecentKeys {
  let latest = new Set<string>();
  let earlier = new Set<string>();
  return {
    add(key) {
      latest.add(key);
      if (latest.size < most / 2) return;
      earlier = latest;
      latest = new Set();
    },
    has: (key) => latest.has(key) || earlier.has(key),
    delete(key) {
      const wasLatest = latest.delete(key);
      return earlier.delete(key) || wasLatest;
    },
  };
}
