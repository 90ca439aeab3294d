import {
  type Call,
  keys,
  type Message,
  type MessageEntry,
  parseConversationState,
  type Registration,
  type RunEvent,
  shardOf,
  type ToolDefinition,
  type ToolResult,
  type ToolRights,
  type TranscriptEntry,
} from "@toolbus/contracts";
import { secretHash, toolHash } from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import { type Change, memoryStore, type StateStore } from "@toolbus/state";
import { eventsOf } from "./events-under-test.ts";
import type { Profile } from "../profile.ts";
import { offerTools } from "../tool-offer.ts";
import { agentSettings } from "../settings.ts";
import { acquire } from "../transitions/acquire.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { joinResult } from "../transitions/join.ts";
import { loadSnapshot, parsed } from "../documents/load.ts";
import { withLoopTools } from "../transitions/loop-tools.ts";
import type { Rules } from "../transitions/rules.ts";
import { startRun } from "../transitions/start.ts";
import { commitTurn } from "../transitions/turn.ts";
import type { Turn } from "../transitions/turn-input.ts";

export const CONVERSATION = "cv_03_01JD0000000000000000000001";
export const RUN = "rn_03_01JD0000000000000000000001";

export const look = definition({ name: "look", kind: "read" });
export const change = definition({ name: "change", kind: "write", effect: "Changes it." });

export const profile: Profile = {
  name: "test",
  description: "For tests.",
  systemPrompt: "Test.",
  tools: ["look", "change"],
  limits: { maxRounds: 5, activeMs: 30_000, maxTools: 12, maxTokens: 1000 },
  model: null,
  toolChoice: "auto",
  seedCalls: [],
  report: null,
  askUser: false,
  continueAfterFailedWrite: false,
};

/** A run in its own store, with a clock that only the test moves. */
export interface Bundle {
  readonly state: StateStore;
  readonly rules: Rules;
  readonly tools: ReadonlyMap<string, Registration>;
  advance(ms: number): void;
  /** Returns the time of the same clock. */
  monotonic(): number;
  snapshot(runId?: string): Promise<Snapshot>;
  call(index: number): Promise<Call>;
  commit(change: Change | null): Promise<"ok" | "stale" | "late" | "none">;
  /**
   * Starts the run of a message. `accepted` is the number of the commit that accepted the message. By default it is higher than those of all earlier
   * messages. A message that interrupts is from `user:ada`.
   */
  start(entry?: Partial<MessageEntry>, accepted?: number): Promise<void>;
  /** Acquires the run and commits a turn with these calls. */
  turn(calls: Turn["calls"], text?: string): Promise<void>;
  answer(index: number, result?: ToolResult): Promise<"ok" | "stale" | "late" | "none">;
  /** Returns the messages that commits put into the outbox since the last call of this function. */
  sent(): Promise<Message[]>;
  events(runId?: string): Promise<RunEvent[]>;
  transcript(): Promise<TranscriptEntry[]>;
  timers(): Promise<string[]>;
}

export function bundle(
  options: {
    readonly profile?: Partial<Profile>;
    readonly ownersDeadBefore?: number;
    readonly keepsForMs?: number;
    readonly idempotency?: "key" | "reconcile" | "none";
    /** The rights of the requester. By default they cover every tool that demands no scope. */
    readonly rights?: ToolRights;
    /** The scopes that both tools demand. */
    readonly scopes?: readonly string[];
    /** The parameters of both tools. */
    readonly parameters?: ToolDefinition["parameters"];
  } = {},
): Bundle {
  let now = 1_800_000_000_000;
  let secrets = 0;
  let nonces = 0;
  let entries = 0;
  const state = memoryStore({ clock: () => now });
  const rights = options.rights ?? { scopes: [] };
  const used: Profile = { ...profile, ...options.profile };
  const rules: Rules = {
    config: readSettings(agentSettings, {}),
    profile: (name) => (name === used.name ? used : undefined),
    profileNames: [used.name],
    newSecret: () => `secret-${++secrets}`,
    newNonce: () => `nonce-${++nonces}`,
    random: () => 0.5,
    ownersDeadBefore: options.ownersDeadBefore ?? 0,
  };
  const write: ToolDefinition = {
    ...change,
    idempotency:
      options.idempotency === "none"
        ? { mode: "none" }
        : options.idempotency === "reconcile"
          ? { mode: "reconcile" }
          : { mode: "key", keepsForMs: options.keepsForMs ?? 86_400_000 },
  };
  const registrations: Registration[] = [look, write]
    .map((d) => (options.scopes ? { ...d, scopes: [...options.scopes] } : d))
    .map((d) => (options.parameters ? { ...d, parameters: options.parameters } : d))
    .map((d) => ({
      toolset: "test",
      definition: d,
      hash: toolHash(d),
      registeredAt: now,
      lastSeenAt: now,
    }));
  const tools = withLoopTools(new Map(registrations.map((registration) => [registration.definition.name, registration])), used);

  const self: Bundle = {
    state,
    rules,
    tools,
    advance: (ms) => void (now += ms),
    monotonic: () => now,
    async snapshot(runId = RUN) {
      const found = await loadSnapshot(state, runId);
      if (!found) throw new Error(`no run ${runId}`);
      return found;
    },
    async call(index) {
      const found = (await self.snapshot()).calls.find((call) => call.value.index === index);
      if (!found) throw new Error(`no call ${index}`);
      return found.value;
    },
    commit: async (made) => (made ? (await state.commit(shardOf(RUN), made)).outcome : "none"),
    async start(part = {}, accepted = ++entries) {
      const entry: MessageEntry = {
        kind: "message",
        entryId: RUN,
        runId: RUN,
        conversationId: CONVERSATION,
        agent: "default",
        profile: "test",
        text: "Do it.",
        input: {},
        ifActive: "enqueue",
        acceptedAt: now,
        ...part,
      };
      const key = keys.conversation(entry.conversationId);
      const { documents } = await state.read([key]);
      const conversation = parsed(documents[0], parseConversationState, key);
      const activeRun = conversation?.value.activeRun;
      const interrupts = entry.ifActive === "interrupt" && activeRun ? { active: await self.snapshot(activeRun), by: "user:ada" } : null;
      const offer = offerTools({
        profile: used,
        registrations,
        now,
        off: () => null,
        rights,
        model: { name: "test", dialect: "any" },
        about: entry.text,
      });
      await self.commit(
        startRun({ now, entry, accepted, conversation, rights, profile: rules.profile(entry.profile), offer, interrupts }, rules),
      );
    },
    async turn(calls, text = "") {
      const got = acquire(await self.snapshot(), { by: "wake", redelivered: false }, rules);
      if (got.kind !== "acquired") throw new Error(got.kind);
      await self.commit(got.change);
      const turn: Turn = {
        provider: "test",
        model: "test",
        text,
        calls,
        seed: false,
        truncated: false,
        usage: { inputTokens: 1, outputTokens: 1 },
      };
      await self.commit(commitTurn({ snapshot: await self.snapshot(), epoch: got.run.epoch, turn, tools }, rules));
    },
    async answer(index, result = ok()) {
      const call = await self.call(index);
      const joined = joinResult(await self.snapshot(), { callId: call.callId, secretHash: secretHash(call.secret), result }, rules);
      return self.commit(joined.kind === "join" ? joined.change : null);
    },
    async sent() {
      now += rules.config.OUTBOX_VISIBILITY_MS;
      const rows = await state.claim("agent", "outbox", { limit: 1000, visibleAfter: 60_000 });
      await state.settle("agent", rows);
      return rows.map((row) => row.message as unknown as Message);
    },
    events: async (runId = RUN) => eventsOf(state, runId),
    transcript: async () =>
      (await state.range(keys.transcript(CONVERSATION), { after: 0, limit: 1000 })).map(
        (entry) => entry.value as unknown as TranscriptEntry,
      ),
    async timers() {
      now += 40 * 86_400_000;
      return (await state.claim("agent", "timer", { limit: 1000, visibleAfter: 1 })).map((row) => row.id).toSorted();
    },
  };
  return self;
}

export const asks = (name: string, id = `p-${name}`, args: object = {}): Turn["calls"][number] => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

export function ok(content = '{"fine":true}'): ToolResult {
  return { status: "ok", content, isError: false };
}

export function definition(part: Pick<ToolDefinition, "name" | "kind" | "effect"> & Partial<ToolDefinition>): ToolDefinition {
  return {
    version: "1",
    description: `Tests ${part.name}.`,
    parameters: { type: "object", properties: { n: { type: "integer" }, s: { type: "string" } }, additionalProperties: false },
    risk: { tier: part.kind === "write" ? "high" : "low" },
    idempotency: { mode: "none" },
    timeoutMs: 5000,
    source: "test",
    ...part,
  };
}
