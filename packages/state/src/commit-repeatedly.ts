import { setTimeout as wait } from "node:timers/promises";
import { type Change, type CommitReply, type StateStore, StoreUnavailable } from "./state-store.ts";

/**
 * Commits, and repeats exactly the same change while the store does not answer: a lost reply is not a lost commit, and the `op` makes the repeat harmless.
 * Gives up with `StoreUnavailable` after three tries, or later if `goOn` still says so.
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
