import { APPROVAL_OUTCOMES, isApprovalId, keyOf, keys, shardOf } from "@toolbus/contracts";
import { pause } from "@toolbus/runtime";
import { commitRepeatedly, type Page, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { FINISHED_KEPT_MS } from "../settings.ts";

export interface ForgetEndedOptions {
  readonly state: StateStore;
  readonly log: Pick<Log, "warn">;
  /** The time between two looks, in milliseconds. The default is an hour. */
  readonly everyMs?: number | undefined;
}

/**
 * Regularly removes approvals from the lists of ended ones when they are no longer kept. Their documents expire by themselves. Every replica does
 * this. It does no harm if two replicas remove the same entry.
 */
export function forgetEnded({ state, log, everyMs = HOUR_MS }: ForgetEndedOptions): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await forgetOnce(state, stopping.signal);
      } catch (error) {
        log.warn({ error }, "approvals that are no longer kept could not be removed from the lists of ended ones; it tries again");
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

const HOUR_MS = 3_600_000;
const PAGE = 100;

type Member = Page["members"][number];

async function forgetOnce(state: ForgetEndedOptions["state"], signal: AbortSignal): Promise<void> {
  const { now } = await state.read([keys.era()]);
  for (const hash of await tenantHashes(state))
    for (const outcome of [undefined, ...APPROVAL_OUTCOMES]) await forgetIn(state, keys.endedApprovals(hash, outcome), now, signal);
}

/** Removes the oldest entries of one list, up to the first page on which every approval is still kept. */
async function forgetIn(state: ForgetEndedOptions["state"], index: string, now: number, signal: AbortSignal): Promise<void> {
  let cursor: string | undefined;
  do {
    const page: Page = await state.page(index, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    const old = page.members.filter(({ score }) => score + FINISHED_KEPT_MS <= now);
    const gone = old.filter(({ member }) => isApprovalId(member));
    for (const [shard, some] of Map.groupBy(gone, ({ member }) => shardOf(member))) await takeOut(state, index, shard, some);
    cursor = old.length < page.members.length ? undefined : page.cursor;
  } while (cursor !== undefined && !signal.aborted);
}

async function takeOut(state: ForgetEndedOptions["state"], index: string, shard: string, gone: readonly Member[]): Promise<void> {
  await commitRepeatedly(state, shard, {
    op: `forget:${gone[0]?.member ?? ""}`,
    // The guard is a placeholder, because a change needs one. No approval has this id.
    guards: [{ key: keyOf("approval", shard, "ended"), version: 0 }],
    index: gone.map(({ member }) => ({ index, member, score: null })),
  });
}

async function tenantHashes(state: Pick<StateStore, "page">): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await state.page(keys.endedApprovalTenants(), { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    for (const { member } of page.members) found.add(member.split(".")[0] ?? "");
    ({ cursor } = page);
  } while (cursor !== undefined);
  return found;
}
