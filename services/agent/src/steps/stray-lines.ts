import { eventSample } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/**
 * Warnings about messages that belong to nothing here. If somebody sends thousands of them, the log gets the first of each kind in a minute, and the number
 * of the rest in one line when the minute is over.
 */
export interface StrayLines {
  /** `words` describe one line, and name its kind. */
  tell(fields: object, words: string): void;
  /** Logs the numbers so far. */
  stop(): Promise<void>;
}

export function strayLines({
  log,
  monotonic,
}: {
  readonly log: Pick<Log, "warn">;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}): StrayLines {
  const sample = eventSample({
    monotonic,
    tell: async ({ kind, count: leftOut, overMs }) =>
      log.warn({ kind, leftOut, overMs }, "more messages belonged to nothing here: only their number is logged"),
  });
  return {
    tell(fields, words) {
      if (sample.take(words, NOWHERE)) log.warn(fields, words);
    },
    stop: sample.stop,
  };
}

/** A log line belongs to no shard. */
const NOWHERE = { shard: "" };
