/**
 * The highest revision of each document that this process has seen. If an older revision appears again, somebody put it there, or the store lost the
 * later one. In both cases, a service must not act on the older revision. The number of documents is bounded, and those that were seen longest ago
 * are forgotten first.
 */
export interface SeenRevisions {
  /** Notes a genuine revision. Returns false and notes nothing if it is below the highest revision seen. */
  note(key: string, revision: number): boolean;
  /** Returns the highest revision that was noted, or 0 if there is none. */
  highest(key: string): number;
}

export function seenRevisions({ most = 20_000 }: { readonly most?: number } = {}): SeenRevisions {
  const highest = new Map<string, number>();
  return {
    highest: (key) => highest.get(key) ?? 0,
    note(key, revision) {
      const seen = highest.get(key);
      if (seen !== undefined && revision < seen) return false;
      highest.delete(key);
      highest.set(key, revision);
      if (highest.size <= most) return true;
      const [oldest] = highest.keys();
      if (oldest !== undefined) highest.delete(oldest);
      return true;
    },
  };
}
