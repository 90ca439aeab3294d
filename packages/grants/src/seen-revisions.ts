/**
 * The highest revision of each document that this process has seen. If an older one comes back, somebody put it there, or the store lost the later
 * one. In both cases a service must not act on it. Bounded: the documents that were seen longest ago are forgotten first.
 */
export interface SeenRevisions {
  /** Notes a genuine revision. Returns false for one below the highest seen, and then notes nothing. */
  note(key: string, revision: number): boolean;
  /** The highest revision that was noted; 0 if there is none. */
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
