import type { Json } from "@toolbus/contracts";

/** Short-lived batches of logs. They are only in this process's memory and are lost with it, as the contract of `Logs.live` permits. */
export interface LiveBatches {
  add(log: string, text: string, now: number): void;
  /** Returns the batches of a log that are still kept, oldest first. */
  recent(log: string, now: number): readonly Json[];
  /** Returns the given batches that the log received and has not dropped yet, in the given order. */
  among(log: string, batches: readonly Json[]): readonly Json[];
}

const KEPT_MS = 60_000;
const KEPT_BATCHES = 512;
const KEPT_LOGS = 4096;

interface Batch {
  readonly text: string;
  readonly until: number;
}

/** Keeps up to 512 batches per log, each for a minute. Keeps only the 4096 logs that were written last. */
export function liveBatches(): LiveBatches {
  // The map orders the logs by their last batch, because `add` moves its log to the end.
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
    among(log, batches) {
      const given = logs.get(log) ?? [];
      // Searches from the end, because the requested batches arrived a moment ago.
      const has = (text: string): boolean => given.findLast((batch) => batch.text === text) !== undefined;
      return batches.filter((batch) => has(JSON.stringify(batch)));
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
