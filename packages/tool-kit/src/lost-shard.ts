import { HOME_SHARD } from "@toolbus/contracts";
import type { Seen, StateStore } from "@toolbus/state";

/** Whether the shard of registrations is still the one that was checked before. */
export interface ShardWatch {
  /** Checks, and remembers the current state. True if commits are gone that were there at the last check, or if the shard is empty. */
  lost(): Promise<boolean>;
}

/**
 * Detects a store that was emptied or restored from an older copy. It asks for a change that no store accepts, because it requires a document version that
 * never exists, and reads the shard's last commit from the refusal. Nothing is written.
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
