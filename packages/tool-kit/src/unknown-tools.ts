import { eventSample } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/**
 * Which calls of tools that are registered nowhere are told so. An honest agent asks for one when a tool was taken away under its runs; whoever makes up names
 * by the thousand would have each cost a look into the ledger and an answer, and genuine calls wait behind them. Above the bound they are dropped
 * and their number is told; an honest agent's timer sends its call again.
 */
export interface UnknownTools {
  mayAnswer(): boolean;
  /** Tells the number so far. */
  stop(): Promise<void>;
}

export function unknownTools({
  log,
  monotonic,
}: {
  readonly log: Pick<Log, "warn">;
  /** Milliseconds of a clock that never goes back. */
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
