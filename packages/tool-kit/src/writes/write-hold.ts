import { type Era, failedResult, isHeld, mayBeForgotten, shardOf, type ToolResult } from "@toolbus/contracts";
import type { StoreLosses } from "@toolbus/state";

/** Judges whether a write is held because its shard has lost commits. After a loss, a missing ledger row does not prove that nothing was sent. */
export interface WriteHold {
  /** Returns whether the write is held, as far as this process knows. A commit that the store refuses may be the first sign of a loss. */
  held(): boolean;
  /**
   * Returns the answer to a held write. The write was not executed now. Whether it was executed before is known only for a run that is newer than the
   * loss.
   */
  result(tool: string): ToolResult;
}

export interface WriteHoldOptions {
  readonly callId: string;
  readonly era: Era | null;
  /** The store's time. */
  readonly now: number;
  readonly losses: Pick<StoreLosses, "seenAt"> | undefined;
}

export function writeHold({ callId, era, now, losses }: WriteHoldOptions): WriteHold {
  const shard = shardOf(callId);
  return {
    held: () => isHeld(era, shard, { now, seenAt: losses?.seenAt(shard) }),
    result(tool) {
      const waits =
        `the state store has lost writes, and until an operator has looked and resumes them ("toolbus era resume ${shard}") no write begins here ` +
        `that could not be repeated safely.`;
      return isYounger()
        ? failedResult("not_executed", `The write "${tool}" was not executed: ${waits} Ask for it again after that.`)
        : failedResult(
            "outcome_unknown",
            `The write "${tool}" was not executed now: ${waits} Whether it took effect before that is not known; look at its target before you ask for it again.`,
          );
    },
  };

  /** Returns whether the run is known to be newer than the loss. A loss that only this process has noticed may be newer than the run. */
  function isYounger(): boolean {
    const lostAt = era?.lost?.find((one) => one.shard === shard)?.lostAt;
    const known = lostAt !== undefined && (losses?.seenAt(shard) ?? 0) <= lostAt;
    return known && !mayBeForgotten(era, callId, now);
  }
}
