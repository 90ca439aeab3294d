import { eventSample } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/**
 * Warnings about messages that belong to nothing here. Whoever sends such by the thousand gets the first of each kind in a minute into the log, and of the
 * others the number, in one line when the minute is over.
 */
export interface StrayLines {
  /** `words` describe one line, and name its kind. */
  tell(fields: object, words: string): void;
  /** Tells the numbers so far. */
  stop(): Promise<void>;
}

export function strayLines({
  log,
  monotonic,
}: {
  readonly log: Pick<Log, "warn">;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: () => number;
}): StrayLines {
  const sample = eventSample({
    monotonic,
    tell: async ({ kind, count: leftOut, overMs }) =>
      log.warn({ kind, leftOut, overMs }, "more messages belonged to nothing here: only their number is told"),
  });
  return {
    tell(fields, words) {
      if (sample.take(words, NOWHERE)) log.warn(fields, words);
    },
    stop: sample.stop,
  };
}

/** A line is kept in no shard. */
const NOWHERE = { shard: "" };
