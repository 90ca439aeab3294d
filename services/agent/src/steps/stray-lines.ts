import { eventSample } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/**
 * Logs warnings about messages that belong to no run or call here. If somebody sends thousands of them, the log shows only the first warnings of each
 * kind per minute. At the end of the minute, one line reports the number of the others.
 */
export interface StrayLines {
  /** Logs a warning. `words` are its message and the name of its kind. */
  tell(fields: object, words: string): void;
  /** Logs the numbers of the messages that were left out so far. */
  stop(): Promise<void>;
}

export function strayLines({
  log,
  monotonic,
}: {
  readonly log: Pick<Log, "warn">;
  /** Returns the time of a monotonic clock, in milliseconds. */
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
