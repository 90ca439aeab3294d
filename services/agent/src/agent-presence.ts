import { HOME_SHARD, keyOf, SEEN_EVERY_MS } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { shardWatch } from "@toolbus/tool-kit";
import type { Profile } from "./profile.ts";
import { announceProfiles, markProfilesSeen } from "./profile-list.ts";

/** What an agent announces about itself, for as long as it runs. */
export interface AgentPresence {
  /** Stops checking, and waits for a check that is running. Safe to call twice. */
  stop(): Promise<void>;
}

export interface AgentPresenceOptions {
  readonly state: StateStore;
  readonly outbox: Outbox;
  readonly log: Pick<Log, "warn">;
  readonly agent: string;
  readonly profiles: readonly Profile[];
  /** How often it sends a heartbeat, and checks whether the store still has it; 30 s by default, as workers do. */
  readonly everyMs?: number | undefined;
}

/**
 * Announces which profiles this agent knows and that the agent exists, sends heartbeats, and announces all of it again when the store has lost commits.
 * Without it the gateway would accept any profile, and nobody would look after the dead letters of the agent's queues until the agent is restarted.
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
  await announceProfiles({ state, outbox }, agent, profiles);
  const watch = shardWatch(state, keyOf("profile", HOME_SHARD, "nobody's"));
  /** Until it is announced again. */
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
      if (!lost) return await markProfilesSeen(state, agent, everyMs / 2);
      log.warn({ agent }, "the store has lost commits; the agent announces its profiles again");
      await announceProfiles({ state, outbox }, agent, profiles);
      // Its announcement may be gone by now as well.
      lost = await watch.lost();
    } catch (error) {
      log.warn({ error, agent }, "an agent could not check whether the store still has its profiles; it tries again");
    }
  }
}
