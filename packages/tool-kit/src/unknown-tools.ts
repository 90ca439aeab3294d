import { eventSample } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/**
 * Decides which calls of unregistered tools get an answer that says so. An honest agent makes such a call if a tool was removed while its runs used it.
 * Thousands of calls with invented names would each cost a look into the ledger and an answer, and genuine calls would wait behind them. Above the limit they are dropped and their
 * number is reported; an honest agent's timer sends its call again.
 */
export interface UnknownTools {
  mayAnswer(): boolean;
  /** Reports the number so far. */
  stop(): Promise<void>;
}

export function unknownTools({
  log,
  monotonic,
}: {
  readonly log: Pick<Log, "warn">;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}): UnknownTools {
  const sample = eventSample({
    monotonic,
    perMinute: ANSWERED_PER_MINUTE,
    tell: async ({ count: dropped, overMs }) =>
      log.warn({ dropped, overMs }, "calls of tools that are registered nowhere came faster than they are answered; these were dropped"),
  });
  return { mayAnswer: () => sample.take("unknown_tool", { shard: "" }), stop: sample.stop };
}

export const ANSWERED_PER_MINUTE = 600;
