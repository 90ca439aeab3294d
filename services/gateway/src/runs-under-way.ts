import { counted, keys, parseRun, shardOf } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { Page, StateStore } from "@toolbus/state";
import { principalHash } from "./principal-hash.ts";
import { refused, type Refused } from "./refused.ts";
import { roomMemory } from "./room-memory.ts";
import type { GatewayConfig } from "./settings.ts";

/** Limits the active runs of one principal, over all gateways of a store. A run is active from its acceptance to its end. */
export interface RunsUnderWay {
  /**
   * Starts a run of this principal. Does not call `start` if the principal already has the maximum of active runs. A run that is already in the index
   * needs no second place. If several gateways start runs of one principal at the same moment, they do not see each other's runs. Together they may
   * exceed the maximum by those runs. Throws `StoreUnavailable`.
   */
  within<T>(principal: Principal, runId: string, start: () => Promise<T>): Promise<T | Refused>;
}

export interface RunsUnderWayOptions {
  readonly state: Pick<StateStore, "page" | "read" | "commit">;
  readonly monotonic: () => number;
  readonly config: Pick<GatewayConfig, "RUNS_PER_PRINCIPAL" | "ORIGIN_OPEN_MS">;
}

type Member = Page["members"][number];

/**
 * The commit that accepts a run also writes the index of its principal's active runs, so the index names all of them. The index may also name runs
 * that have ended. The gateway removes these when the index is full, and now and then when half of it is. So a start costs at most one page, and
 * nobody has to report the end of a run. While less than half of the places are used, a gateway looks once a second, so several gateways may together
 * exceed the maximum by the runs that they start within a second.
 */
export function runsUnderWay({ state, config, monotonic }: RunsUnderWayOptions): RunsUnderWay {
  const { RUNS_PER_PRINCIPAL: most, ORIGIN_OPEN_MS: openMs } = config;
  // The runs that this process is starting. They may not be in the index yet.
  const starting = new Map<string, Set<string>>();
  const memory = roomMemory(most, monotonic);
  // The indexes at which a start of this process looks. Simultaneous starts wait for its result, which often has room for them too.
  const looking = new Map<string, Promise<void>>();
  return {
    async within(principal, runId, start) {
      if (most === 0) return start();
      const index = openRunsOf(principal);
      const here = starting.get(index) ?? new Set();
      // Only starts that began earlier count against this run. So as many simultaneous requests are accepted as the maximum allows.
      const before = [...here];
      starting.set(index, here.add(runId));
      try {
        return (await mayStart(index, runId, before)) ? await start() : tooMany(most);
      } finally {
        here.delete(runId);
        if (here.size === 0) starting.delete(index);
      }
    },
  };

  async function mayStart(index: string, runId: string, before: readonly string[]): Promise<boolean> {
    if (memory.hasRoom(index)) return true;
    const byAnother = looking.get(index);
    if (byAnother) {
      await byAnother;
      if (memory.hasRoom(index)) return true;
      return isRoom(index, runId, before);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    looking.set(index, promise);
    try {
      return await isRoom(index, runId, before);
    } finally {
      looking.delete(index);
      resolve();
    }
  }

  async function isRoom(index: string, runId: string, before: readonly string[]): Promise<boolean> {
    const fits = (members: readonly Member[]): boolean =>
      new Set([...before, ...members.map(({ member }) => member)].filter((other) => other !== runId)).size < most;
    for (let looks = 1; looks <= MOST_LOOKS; looks++) {
      const { members, cursor } = await state.page(index, { limit: most });
      const isFree = cursor === undefined && fits(members);
      const isSpacious = isFree && members.length < most / 2;
      if (isSpacious) memory.looked(index, members.length, false);
      if (isSpacious || (isFree && !memory.mayClean(index))) return true;
      const open = await cleaned(index, members);
      if (cursor !== undefined && open.length < members.length) continue;
      memory.looked(index, open.length, true);
      return cursor === undefined && fits(open);
    }
    return false;
  }

  /** Removes the runs that are no longer active from the index, and returns the others. */
  async function cleaned(index: string, members: readonly Member[]): Promise<readonly Member[]> {
    const ended = new Set(await endedAmong(members));
    await takeOut(index, ended);
    return members.filter((member) => !ended.has(member));
  }

  /** Returns the runs that are no longer active. These have ended, or no agent took them in time, so none ever will. */
  async function endedAmong(members: readonly Member[]): Promise<readonly Member[]> {
    const ended: Member[] = [];
    for (let from = 0; from < members.length; from += READ) {
      const some = members.slice(from, from + READ);
      const { now, documents } = await state.read(some.map(({ member }) => keys.run(member)));
      ended.push(
        ...some.filter(({ score }, n) => {
          const run = parseRun(documents[n]?.value);
          return run.ok ? run.value.endedAt !== null : now > score + openMs;
        }),
      );
    }
    return ended;
  }

  async function takeOut(index: string, ended: Iterable<Member>): Promise<void> {
    const byShard = Map.groupBy(ended, ({ member }) => shardOf(member));
    await Promise.all(
      [...byShard].map(([shard, members]) =>
        state.commit(shard, {
          op: `ended:${members.map(({ member }) => member).join(" ")}`,
          // The guard is a placeholder, because every change needs a guard. Removing a run twice has the same effect as removing it once.
          guards: [{ key: keys.inbox(shard, "under-way"), version: 0 }],
          index: members.map(({ member }) => ({ index, member, score: null })),
        }),
      ),
    );
  }
}

/** Returns the index of this principal's active runs. */
export function openRunsOf(principal: Pick<Principal, "tenant" | "id">): string {
  return keys.openRuns(principalHash(principal));
}

function tooMany(most: number): Refused {
  return {
    ...refused(
      "rate_limited",
      `This principal has ${counted(most, "run")} under way, the maximum at a time.`,
      "Start another when one has ended, or cancel one.",
    ),
    retryAfterS: RETRY_AFTER_S,
  };
}

const RETRY_AFTER_S = 10;
const READ = 100;
// The most reads of the index for one start. Each read removes some members. The index exceeds the maximum only after the setting was lowered, or
// after simultaneous starts.
const MOST_LOOKS = 20;
