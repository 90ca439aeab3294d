import { HOME_SHARD, keyOf, SEEN_EVERY_MS } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { shardWatch } from "@toolbus/tool-kit";
import type { Profile } from "./profile.ts";
import { tellProfiles, tellSeen } from "./profile-list.ts";

/** What an agent says of itself, for as long as it lives. */
export interface AgentPresence {
  /** Looks no more, and waits for a look that is under way. Safe to call twice. */
  stop(): Promise<void>;
}

export interface AgentPresenceOptions {
  readonly state: StateStore;
  readonly outbox: Outbox;
  readonly log: Pick<Log, "warn">;
  readonly agent: string;
  readonly profiles: readonly Profile[];
  /** How often it says that it lives, and looks whether the store still has it; 30 s by default, as workers do. */
  readonly everyMs?: number | undefined;
}

/**
 * Tells which profiles this agent knows and that there is such an agent, says every now and then that it lives, and tells all of it again when the store has lost commits: without it the gateway would take
 * any profile, and nobody would look after the dead letters of the agent's queues until it is restarted. Resolves when it is told.
 */
export async function keepTold({
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
  await tellProfiles({ state, outbox }, agent, profiles);
  const watch = shardWatch(state, keyOf("profile", HOME_SHARD, "nobody's"));
  /** Until it is told again. */
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
      if (!lost) return await tellSeen(state, agent, everyMs / 2);
      log.warn({ agent }, "the store has lost commits; the agent tells its profiles again");
      await tellProfiles({ state, outbox }, agent, profiles);
      // What it told may be gone by now as well.
      lost = await watch.lost();
    } catch (error) {
      log.warn({ error, agent }, "an agent could not look whether the store still has its profiles; it tries again");
    }
  }
}
