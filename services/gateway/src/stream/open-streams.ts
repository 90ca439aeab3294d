import { measure, metricNames } from "@toolbus/telemetry";

/** The open streams, counted per principal, so that none takes them all and a stop can end each politely. */
export interface OpenStreams {
  /** A place for one more stream, or null when the principal has its share. */
  take(principal: string): Place | null;
  /** Says goodbye to every stream. */
  bye(): void;
}

export interface Place {
  /** Registers what a stream does at a stop; it is done at once if the stop was earlier. */
  onBye(listener: () => void): void;
  /** Frees the place. Safe to call twice. */
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
