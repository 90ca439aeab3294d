import { HOME_SHARD } from "@toolbus/contracts";
import type { Seen, StateStore } from "@toolbus/state";

/** Whether the shard of registrations is still the one that was looked at before. */
export interface ShardWatch {
  /** Looks, and remembers what is there now. True when commits are gone that were there at the last look, or there is none at all. */
  lost(): Promise<boolean>;
}

/**
 * Watches for a store that was emptied or put back to an older copy. It asks for a change that no store takes, because a document would need a version that
 * none ever has, and listens to what the refusal says of the shard's last commit. Nothing is written.
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
