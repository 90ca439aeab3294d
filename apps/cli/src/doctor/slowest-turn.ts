import type { NumberedRunEvent } from "@toolbus/contracts";

/** The turn of a run for which the model took longest. */
export interface SlowTurn {
  readonly round: number;
  readonly tookMs: number;
}

/**
 * Returns the slowest turn of a run, or null if its model gave none. A turn takes from the event before it to its own event. So the time includes
 * writing a summary, and not the wait before a repeated call.
 */
export function slowestTurn(events: readonly NumberedRunEvent[]): SlowTurn | null {
  const turns = events.flatMap((event, n) => {
    const before = events[n - 1];
    if (event.type !== "turn" || event.seed || !before) return [];
    const waited = before.type === "model.retry" ? before.waitMs : 0;
    return [{ round: event.round, tookMs: event.at - before.at - waited }];
  });
  return turns.toSorted((a, b) => b.tookMs - a.tookMs)[0] ?? null;
}
