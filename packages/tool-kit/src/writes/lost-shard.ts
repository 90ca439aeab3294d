import { HOME_SHARD } from "@toolbus/contracts";
import type { Seen, StateStore } from "@toolbus/state";

/** Checks whether the shard of registrations has lost commits. */
export interface ShardWatch {
  /**
   * Checks the shard and remembers its current state. Returns true if commits are missing that existed at the last check, or if the shard is empty.
   */
  lost(): Promise<boolean>;
}

/**
 * Detects a store that was emptied or restored from an older copy. It requests a change that no store accepts, because the change requires a document
 * version that never exists. The refusal contains the shard's last commit, and nothing is written.
 */
export function shardWatch(state: Pick<StateStore, "commit">, document: string): ShardWatch {
  let seen: Seen | undefined;
  return {
    async lost() {
      const { commit, mark, rolledBack } = await state.commit(HOME_SHARD, {
        op: "look",
        guards: [{ key: document, version: Number.MAX_SAFE_INTEGER }],
        ...(seen ? { seen } : {}),
      });
      seen = mark === undefined ? undefined : { commit, mark };
      return rolledBack === true || commit === 0;
    },
  };
}
