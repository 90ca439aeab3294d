import { HOME_SHARD, keyOf, SEEN_EVERY_MS } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { shardWatch } from "@toolbus/tool-kit";
import type { Profile } from "./profile.ts";
import { announceProfiles, markProfilesSeen, RENEWED_MS } from "./profile-list.ts";

/** The announcement of an agent, which the agent keeps up to date while it runs. */
export interface AgentPresence {
  /** Stops the checks, and waits for one that is running. A second call is safe. */
  stop(): Promise<void>;
}

export interface AgentPresenceOptions {
  readonly state: StateStore;
  readonly outbox: Outbox;
  readonly log: Pick<Log, "warn">;
  readonly agent: string;
  readonly profiles: readonly Profile[];
  /** How often the agent sends a heartbeat and checks whether the store still has its announcement. The default is 30 s, as for workers. */
  readonly everyMs?: number | undefined;
}

/**
 * Announces that this agent exists and which profiles it knows. Sends heartbeats, and repeats the announcement when the store has lost commits.
 * Without the announcement, the gateway would accept any profile. Until the agent restarts, nobody would look after the dead letters of its queues.
 * Resolves when the announcement is stored.
 */
export async function keepRegistered({
  state,
  outbox,
  log,
  agent,
  profiles,
  everyMs = SEEN_EVERY_MS,
}: AgentPresenceOptions): Promise<AgentPresence> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();
  let announcedAt = await announceProfiles({ state, outbox }, agent, profiles);
  const watch = shardWatch(state, keyOf("profile", HOME_SHARD, "nobody's"));
  /** True while the store may have lost the announcement. */
  let lost = await watch.lost();
  arm();
  return {
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
  };

  function arm(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      underWay = look().finally(arm);
    }, everyMs).unref();
  }

  async function look(): Promise<void> {
    try {
      lost = (await watch.lost()) || lost;
      if (stopping.signal.aborted) return;
      if (!lost) {
        const now = await markProfilesSeen(state, agent, everyMs / 2);
        if (now - announcedAt > RENEWED_MS) announcedAt = await announceProfiles({ state, outbox }, agent, profiles);
        return;
      }
      log.warn({ agent }, "the store has lost commits; the agent announces its profiles again");
      announcedAt = await announceProfiles({ state, outbox }, agent, profiles);
      // The store may have lost this announcement too.
      lost = await watch.lost();
    } catch (error) {
      log.warn({ error, agent }, "an agent could not check whether the store still has its profiles; it tries again");
    }
  }
}
