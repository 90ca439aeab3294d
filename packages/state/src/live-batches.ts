import type { Json } from "@toolbus/contracts";

/** Short-lived batches of logs, in this process's memory: gone with it, which `Logs.live` permits. */
export interface LiveBatches {
  add(log: string, text: string, now: number): void;
  /** What is still kept of a log, oldest first. */
  recent(log: string, now: number): readonly Json[];
}

const KEPT_MS = 60_000;
const KEPT_BATCHES = 512;
const KEPT_LOGS = 4096;

interface Batch {
  readonly text: string;
  readonly until: number;
}

/** Keeps 512 batches a log, each for a minute, of the 4096 logs that were written last. */
export function liveBatches(): LiveBatches {
  // In the order of their last batch: a log that is written moves to the end.
  const logs = new Map<string, Batch[]>();
  return {
    add(log, text, now) {
      const batches = kept(log, now).slice(1 - KEPT_BATCHES);
      batches.push({ text, until: now + KEPT_MS });
      logs.delete(log);
      logs.set(log, batches);
      dropOldLogs(now);
    },
    recent(log, now) {
      return kept(log, now).map(({ text }): Json => JSON.parse(text));
    },
  };

  function kept(log: string, now: number): Batch[] {
    return (logs.get(log) ?? []).filter(({ until }) => until > now);
  }

  function dropOldLogs(now: number): void {
    for (const [log, batches] of logs) {
      const last = batches.at(-1);
      if (logs.size <= KEPT_LOGS && last && last.until > now) return;
      logs.delete(log);
    }
  }
}
