/**
 * The highest revision of each document that this process has seen. An older one that comes back was put there by somebody, or the store lost what
 * came after it: either way it must not be acted on. Bounded; the documents that were seen longest ago are forgotten first.
 */
export interface SeenRevisions {
  /** Notes a genuine revision. False for one below the highest that was seen: then nothing is noted. */
  note(key: string, revision: number): boolean;
  /** The highest that was noted; 0 when none was. */
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
