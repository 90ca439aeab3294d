import { type Era, failedResult, isHeld, mayBeForgotten, shardOf, type ToolResult } from "@toolbus/contracts";
import type { StoreLosses } from "@toolbus/state";

/** Whether a write waits because its shard has lost writes, so that a missing ledger row does not prove that nothing was sent. */
export interface WriteHold {
  /** As far as is known at this moment: a commit that the store refuses may be the first sign. */
  held(): boolean;
  /** The answer to a held write: nothing of it was done now; whether it was done before is known only for a run that is newer than the loss. */
  result(tool: string): ToolResult;
}

export interface WriteHoldOptions {
  readonly callId: string;
  readonly era: Era | null;
  /** The store's clock. */
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

  /** A loss that only this process knows about may have happened at this moment. */
  function isYounger(): boolean {
    const lostAt = era?.lost?.find((one) => one.shard === shard)?.lostAt;
    const known = lostAt !== undefined && (losses?.seenAt(shard) ?? 0) <= lostAt;
    return known && !mayBeForgotten(era, callId, now);
  }
}
