import { setTimeout as wait } from "node:timers/promises";
import { type Change, type CommitReply, type StateStore, StoreUnavailable } from "./state-store.ts";

/**
 * Commits a change, and repeats exactly the same change while the store does not answer. A commit may have succeeded although its reply was lost, and
 * the `op` makes the repeat harmless. Throws `StoreUnavailable` after three tries. It retries longer while `goOn` returns true.
 */
export async function commitRepeatedly(
  state: StateStore,
  shard: string,
  change: Change,
  goOn: () => boolean = () => false,
): Promise<CommitReply> {
  for (let tries = 1; ; tries++) {
    try {
      return await state.commit(shard, change);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || (tries >= TRIES && !goOn())) throw error;
      await wait(Math.min(25 * 2 ** tries, MAX_WAIT_MS), undefined, { ref: false });
    }
  }
}

const TRIES = 3;
const MAX_WAIT_MS = 500;
