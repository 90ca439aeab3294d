import { setTimeout as wait } from "node:timers/promises";

/** A loss of acknowledged commits of one shard. */
export interface StoreLoss {
  readonly shard: string;
  /** When this process last saw one of the lost commits, by the store's clock. 0 if it has seen no commit of the shard. */
  readonly seenAt: number;
}

/** What a process knows about the losses of its store. It stays empty if the store loses nothing. */
export interface StoreLosses {
  /** Records a loss, for `connectState`. A loss that is already known is ignored. */
  readonly onRollback: (shard: string, seenAt: number) => void;
  /** Returns when this process last saw the lost data of a shard, or undefined if the shard lost nothing. */
  seenAt(shard: string): number | undefined;
  /**
   * Passes every loss to `tell`, including the earlier ones. Retries each report until `tell` resolves. One report contains all losses of the same
   * moment. Use this method once.
   */
  reportBy(tell: (losses: readonly StoreLoss[]) => Promise<void>): void;
  /** Stops the reports. A loss that was not reported yet stays unreported. Safe to use twice. */
  stop(): Promise<void>;
}

export interface StoreLossesOptions {
  /** Receives each loss once, when this process notices it. */
  readonly onLoss: (loss: StoreLoss) => void;
  /** Invoked when a report fails for the first time. The report is retried. */
  readonly onReportFailed: (error: unknown) => void;
  /** How long to wait before the first retry of a report, in milliseconds. The time doubles with each retry, up to half a minute. */
  readonly retryMs?: number;
}

const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

export function storeLosses({ onLoss, onReportFailed, retryMs = RETRY_MS }: StoreLossesOptions): StoreLosses {
  const known = new Map<string, number>();
  const unreported = new Map<string, number>();
  const stopping = new AbortController();
  let tell: ((losses: readonly StoreLoss[]) => Promise<void>) | null = null;
  let telling: Promise<void> | null = null;
  return {
    onRollback(shard, seenAt) {
      const before = known.get(shard);
      if (before !== undefined && seenAt <= before) return;
      known.set(shard, seenAt);
      unreported.set(shard, seenAt);
      onLoss({ shard, seenAt });
      begin();
    },
    seenAt: (shard) => known.get(shard),
    reportBy(given) {
      tell = given;
      begin();
    },
    async stop() {
      stopping.abort();
      await telling;
    },
  };

  function begin(): void {
    if (tell === null || unreported.size === 0 || stopping.signal.aborted) return;
    telling ??= reportAll(tell).finally(() => {
      telling = null;
      begin();
    });
  }

  async function reportAll(by: (losses: readonly StoreLoss[]) => Promise<void>): Promise<void> {
    // Waits for the end of this turn of the event loop, so that one report contains all its losses. If the whole store was replaced, every shard has
    // a loss.
    await Promise.resolve();
    for (let failures = 0; unreported.size > 0 && !stopping.signal.aborted;) {
      const losses = [...unreported].map(([shard, seenAt]) => ({ shard, seenAt }));
      try {
        await by(losses);
        for (const { shard, seenAt } of losses) if (unreported.get(shard) === seenAt) unreported.delete(shard);
        failures = 0;
      } catch (error) {
        // The receiver of the report is unavailable or does not exist.
        if (failures++ === 0) onReportFailed(error);
        const after = Math.min(retryMs * 2 ** (failures - 1), LONGEST_RETRY_MS);
        await wait(after, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      }
    }
  }
}
