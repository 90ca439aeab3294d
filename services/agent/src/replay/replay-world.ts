import { places } from "@toolbus/bus";
import { type Json, keys, type RunEvent, shardOf, type StoredEntry } from "@toolbus/contracts";
import { type ModelFacts, tokenCalibration } from "@toolbus/models";
import { readSettings } from "@toolbus/runtime";
import { type Change, memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { readRegistry } from "@toolbus/tool-kit";
import { catalogue } from "../catalogue.ts";
import { isDirectCall, noModel } from "../direct-call/direct-call.ts";
import { snapshots } from "../documents/snapshots.ts";
import type { LocalCalls } from "../outgoing/local-calls.ts";
import type { Profile } from "../profile.ts";
import { type AgentConfig, agentSettings } from "../settings.ts";
import type { Stepper } from "../steps/advance.ts";
import { newRides } from "../steps/rides.ts";
import { transcripts } from "../steps/transcripts.ts";
import type { WriteProofs } from "../steps/write-proofs.ts";
import type { ToolOffers } from "../tool-offers.ts";
import type { Rules } from "../transitions/rules.ts";
import { loadSnapshot } from "../documents/load.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import type { AskedModel } from "./asked-model.ts";
import type { ReplayClock } from "./replay-clock.ts";

/** The agent's own steps over a store in memory. Nothing here has a bus, a worker or a network, so a replay cannot change anything outside. */
export interface ReplayWorld {
  readonly state: StateStore;
  readonly rules: Rules;
  readonly stepper: Stepper;
  readonly clock: ReplayClock;
  /** The profile of the run. Null from when the agent no longer knows it. */
  profile: Profile | null;
  snapshot(runId: string): Promise<Snapshot>;
  /** Commits a change of this run's shard. Returns whether there was one. */
  commit(runId: string, change: Change | null): Promise<boolean>;
  events(runId: string): Promise<readonly RunEvent[]>;
  transcript(conversationId: string): Promise<readonly StoredEntry[]>;
}

export interface WorldOptions {
  readonly clock: ReplayClock;
  readonly profile: Profile | null;
  readonly model: AskedModel;
  /** Settings that the log shows, such as how long a question waits. The others have their defaults, and no event depends on them. */
  readonly settings: Partial<AgentConfig>;
  /** Finds tools that calls name in their arguments, as the log has them. */
  readonly find: ToolOffers["find"];
  /** The names of the profiles that the agent knew. */
  readonly profileNames?: readonly string[];
}

/** A backoff that turns a random number into any number of milliseconds. */
export const BACKOFF_MS = 1_000_000_000;

export function replayWorld(options: WorldOptions): ReplayWorld {
  const { clock, model } = options;
  const state = memoryStore({ clock: clock.now });
  let ids = 0;
  const config: AgentConfig = {
    ...readSettings(agentSettings, {}),
    MODEL_RETRY_MS: BACKOFF_MS,
    MODEL_RETRY_MAX_MS: BACKOFF_MS,
    MODEL_ATTEMPTS: Number.MAX_SAFE_INTEGER,
    ...options.settings,
  };
  const rules: Rules = {
    config,
    profile: (name) => (world.profile?.name === name ? world.profile : undefined),
    profileNames: options.profileNames ?? [],
    newSecret: () => `secret-${++ids}`,
    newNonce: () => `nonce-${++ids}`,
    random: () => (model.next?.kind === "fails" ? (model.next.waitMs ?? 0) / BACKOFF_MS : 0),
    ownersDeadBefore: 0,
  };
  const known = transcripts(state, { maxChars: 1_000_000_000, keptChars: 1_000_000_000, monotonic: clock.now });
  const outbox: LocalCalls = {
    commit: (shard, change) => state.commit(shard, { ...change, outbox: [] }),
    commitOnly: async (shard, change) => ({ reply: await state.commit(shard, { ...change, outbox: [] }), invokes: [] }),
    begin: () => undefined,
    handBack: () => Promise.resolve(),
    stop: () => Promise.resolve(),
  };
  const stepper: Stepper = {
    state,
    outbox,
    snapshots: snapshots(state, clock.now, known),
    transcripts: known,
    places: places(1),
    rides: newRides(),
    monotonic: clock.now,
    callHere: () => undefined,
    budgets: {
      factsOf: () => ({ price: null }) as unknown as ModelFacts,
      limits: () => false,
      reserve: () => {
        const { next } = model;
        return Promise.resolve(
          next?.kind === "stopped"
            ? { kind: "refused", code: next.code as "budget_exhausted", message: next.message }
            : { kind: "reserved", holds: [] },
        );
      },
      settle: (_, used) => Promise.resolve(model.next?.kind === "reply" ? model.next.allowedCalls : used.toolCalls),
      release: () => Promise.resolve(),
    },
    calibration: tokenCalibration(),
    rules,
    log: silentLog,
    modelOf: () => (world.profile && isDirectCall(world.profile) ? noModel : model.provider),
    catalogue: catalogue(state),
    proofs: NOTHING_PROVED,
    strays: { tell: () => undefined, stop: () => Promise.resolve() },
    toolOffers: { find: options.find, registered: () => readRegistry(state) },
  };
  const world: ReplayWorld = {
    state,
    rules,
    stepper,
    clock,
    profile: options.profile,
    async snapshot(runId) {
      const found = await loadSnapshot(state, runId);
      if (!found) throw new Error(`The replay has no run ${runId}.`);
      return found;
    },
    async commit(runId, change) {
      if (!change) return false;
      const { outcome } = await outbox.commit(shardOf(runId), change);
      if (outcome !== "ok") throw new Error(`A commit of the replay ended as ${outcome}.`);
      return true;
    },
    events: async (runId) => (await readAll(state, keys.events(runId))) as unknown as readonly RunEvent[],
    transcript: async (conversationId) => (await readAll(state, keys.transcript(conversationId))) as unknown as readonly StoredEntry[],
  };
  return world;
}

async function readAll(state: StateStore, log: string): Promise<readonly Json[]> {
  const values: Json[] = [];
  for (let after = 0; ;) {
    const page = await state.range(log, { after, limit: PAGE });
    values.push(...page.map(({ value }) => value));
    if (page.length < PAGE) return values;
    after = page.at(-1)?.sequence ?? after;
  }
}

const PAGE = 500;

const refuse = (): never => {
  throw new Error("A replay verifies no signatures.");
};

/** The log has what was found genuine, so a replay verifies nothing. */
const NOTHING_PROVED: WriteProofs = { answered: refuse, decided: refuse, written: refuse, era: refuse, stop: () => Promise.resolve() };
