import { setTimeout as wait } from "node:timers/promises";

/** That the store has lost commits of a shard which it had acknowledged. */
export interface StoreLoss {
  readonly shard: string;
  /** When this process had last seen a commit that is gone, by the store's clock; 0 when it saw none of the shard. */
  readonly seenAt: number;
}

/** What a process knows of the losses of its store. A store that loses nothing leaves it empty. */
export interface StoreLosses {
  /** For `connectState`. A loss that is known already is no other one. */
  readonly onRollback: (shard: string, seenAt: number) => void;
  /** When this process had last seen what is lost of a shard; undefined where nothing was lost. */
  seenAt(shard: string): number | undefined;
  /**
   * Has `tell` told of every loss, of those so far as well, again and again until it resolves. Losses that come at the same time are told
   * together. Once only.
   */
  tellBy(tell: (losses: readonly StoreLoss[]) => Promise<void>): void;
  /** Ends the telling. What was not told yet stays untold. Safe to use twice. */
  stop(): Promise<void>;
}

export interface StoreLossesOptions {
  /** Told of each loss once, at the moment that it is noticed. */
  readonly onLoss: (loss: StoreLoss) => void;
  /** Told when telling fails for the first time; it is tried again. */
  readonly onUntold: (error: unknown) => void;
  /** How long to wait before telling is tried again, in milliseconds; twice as long each time, up to half a minute. */
  readonly retryMs?: number;
}

const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;

export function storeLosses({ onLoss, onUntold, retryMs = RETRY_MS }: StoreLossesOptions): StoreLosses {
  const known = new Map<string, number>();
  const untold = new Map<string, number>();
  const stopping = new AbortController();
  let tell: ((losses: readonly StoreLoss[]) => Promise<void>) | null = null;
  let telling: Promise<void> | null = null;
  return {
    onRollback(shard, seenAt) {
      const before = known.get(shard);
      if (before !== undefined && seenAt <= before) return;
      known.set(shard, seenAt);
      untold.set(shard, seenAt);
      onLoss({ shard, seenAt });
      begin();
    },
    seenAt: (shard) => known.get(shard),
    tellBy(given) {
      tell = given;
      begin();
    },
    async stop() {
      stopping.abort();
      await telling;
    },
  };

  function begin(): void {
    if (tell === null || untold.size === 0 || stopping.signal.aborted) return;
    telling ??= tellAll(tell).finally(() => {
      telling = null;
      begin();
    });
  }

  async function tellAll(by: (losses: readonly StoreLoss[]) => Promise<void>): Promise<void> {
    // What comes in the same turn is told together: a store that was exchanged has lost every shard.
    await Promise.resolve();
    for (let failures = 0; untold.size > 0 && !stopping.signal.aborted;) {
      const losses = [...untold].map(([shard, seenAt]) => ({ shard, seenAt }));
      try {
        await by(losses);
        for (const { shard, seenAt } of losses) if (untold.get(shard) === seenAt) untold.delete(shard);
        failures = 0;
      } catch (error) {
        // Whoever is to be told is away, or has never been there.
        if (failures++ === 0) onUntold(error);
        const after = Math.min(retryMs * 2 ** (failures - 1), LONGEST_RETRY_MS);
        await wait(after, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      }
    }
  }
}
