import { keys, letterOfMember, shardOf } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import { commitRepeatedly, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

export interface Forgetting {
  readonly state: StateStore;
  readonly log: Log;
  readonly everyMs: number;
}

/** Regularly removes expired dead letters from the indexes. Their documents expire by themselves. */
export function forgetLetters({ state, log, everyMs }: Forgetting): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await forgetExpired(state, stopping.signal);
      } catch (error) {
        log.warn({ error }, "expired dead letters could not be removed from their lists; it is retried");
      }
      await pause(everyMs, stopping.signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const PAGE = 100;

/** Removes the oldest dead letters first, up to the first page on which nothing has expired. */
async function forgetExpired(state: StateStore, signal: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await state.page(keys.deadLetters(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const letters = page.members.map(({ member }) => ({ member, ...letterOfMember(member) }));
    const { documents } = await state.read(letters.map(({ letterId }) => keys.deadLetter(letterId)));
    const expired = letters.filter((_, i) => !documents[i]);
    for (const { member, letterId, queue } of expired) {
      await commitRepeatedly(state, shardOf(letterId), {
        op: `forget:${letterId}`,
        guards: [{ key: keys.deadLetter(letterId), version: 0 }],
        index: [keys.deadLetters(), keys.deadLetters(queue)].map((index) => ({ index, member, score: null })),
      });
    }
    cursor = expired.length === 0 ? undefined : page.cursor;
  } while (cursor !== undefined && !signal.aborted);
}
