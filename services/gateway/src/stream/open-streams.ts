import { measure, metricNames } from "@toolbus/telemetry";

/** Counts the open streams of each principal, so that no principal uses all of them. Also lets a stop end each stream properly. */
export interface OpenStreams {
  /** Returns a place for one more stream, or null if the principal already has the maximum. */
  take(principal: string): Place | null;
  /** Sends the event `bye` to every stream. */
  bye(): void;
}

export interface Place {
  /** Registers what a stream does at a stop. If the service is already stopping, the stream does it at once. */
  onBye(listener: () => void): void;
  /** Frees the place. A second call does no harm. */
  leave(): void;
}

export function openStreams(perPrincipal: number): OpenStreams {
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  let over = false;
  return {
    take(principal) {
      const count = counts.get(principal) ?? 0;
      if (count >= perPrincipal) return null;
      counts.set(principal, count + 1);
      measure(metricNames.openStreams, 1);
      let mine = (): void => undefined;
      let left = false;
      return {
        onBye(listener) {
          mine = listener;
          listeners.add(listener);
          if (over) listener();
        },
        leave() {
          if (left) return;
          left = true;
          measure(metricNames.openStreams, -1);
          listeners.delete(mine);
          const others = (counts.get(principal) ?? 1) - 1;
          if (others > 0) counts.set(principal, others);
          else counts.delete(principal);
        },
      };
    },
    bye() {
      over = true;
      for (const listener of listeners) listener();
    },
  };
}
