/** The streams that are open, counted per principal, so that none takes them all and a stop can end each politely. */
export interface OpenStreams {
  /** A place for one more stream, or null when the principal has its share. */
  take(principal: string): Place | null;
  /** Says goodbye to every stream. */
  bye(): void;
}

export interface Place {
  /** Registers what a stream does at a stop; the function that it gives frees the place. */
  onBye(listener: () => void): () => void;
}

export function openStreams(perPrincipal: number): OpenStreams {
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  return {
    take(principal) {
      const count = counts.get(principal) ?? 0;
      if (count >= perPrincipal) return null;
      counts.set(principal, count + 1);
      return {
        onBye(listener) {
          listeners.add(listener);
          return () => {
            if (!listeners.delete(listener)) return;
            const left = (counts.get(principal) ?? 1) - 1;
            if (left > 0) counts.set(principal, left);
            else counts.delete(principal);
          };
        },
      };
    },
    bye() {
      for (const listener of listeners) listener();
    },
  };
}
