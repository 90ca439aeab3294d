import { eventSample } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/**
 * Decides which calls of unregistered tools receive an answer that says so. An honest agent sends a call of an unregistered tool if the tool was
 * removed while the agent's runs used it. Thousands of calls with invented names would each cost a read of the ledger and an answer, and genuine
 * calls would wait behind them. Above the limit, calls of unregistered tools are dropped and their number is reported. An honest agent's timer sends
 * its call again.
 */
export interface UnknownTools {
  mayAnswer(): boolean;
  /** Reports the number of dropped calls so far. */
  stop(): Promise<void>;
}

export function unknownTools({
  log,
  monotonic,
}: {
  readonly log: Pick<Log, "warn">;
  /** Returns the time of a monotonic clock, in milliseconds. */
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
