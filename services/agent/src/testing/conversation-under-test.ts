import { memoryBus } from "@toolbus/bus";
import {
  type InboxEntry,
  isRunEnd,
  type Json,
  keys,
  message,
  messageTypes,
  type RunEvent,
  type ToolRights,
  topics,
} from "@toolbus/contracts";
import { ownKeys, staticKeySet } from "@toolbus/grants";
import type { ModelCall, ModelProvider, ModelReply, ModelRequest } from "@toolbus/models";
import { offlineModel } from "@toolbus/models";
import { readSettings } from "@toolbus/runtime";
import { type FeedItem, memoryStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { startWorker, type Tool, toolset } from "@toolbus/tool-kit";
import { eventsOf } from "./events-under-test.ts";
import { signedOrigin } from "./origin-under-test.ts";
import type { Profile } from "../profile.ts";
import { startAgent } from "../service.ts";
import { agentSettings } from "../settings.ts";

export const CONVERSATION = "cv_05_01JD0000000000000000000001";
export const run = (n: number): string => `rn_05_01JD000000000000000000000${n}`;

const profile: Profile = {
  name: "chat",
  description: "Talks.",
  systemPrompt: "Talk.",
  tools: "all",
  limits: { maxRounds: 5, activeMs: 30_000, maxTools: 12, maxTokens: 1000 },
  model: null,
  toolChoice: "auto",
  seedCalls: [],
  report: null,
  askUser: true,
  continueAfterFailedWrite: false,
};

const serviceKeys = await ownKeys(["agent", "gateway", "approvals"]);

/** The scripted model's answer to a request: text, or calls. */
export type Script = (request: ModelRequest) => string | readonly Omit<ModelCall, "id">[];

/** Starts real agents and a real worker over a bus and a store in memory. The test plays the gateway, and its script plays the model. */
export async function conversationUnderTest(
  clock: () => number,
  script: Script,
  {
    tools = [],
    toolset: served = "test",
    agents = 1,
    profile: own = {},
    model = {},
    rights = { scopes: [] },
    env = {},
  }: {
    readonly tools?: readonly Tool[];
    /** The name of the worker's toolset. */
    readonly toolset?: string;
    /** The settings of the agents that differ from those of these tests. */
    readonly env?: Readonly<Record<string, string>>;
    readonly agents?: number;
    /** The differences from the profile of these tests. */
    readonly profile?: Partial<Profile>;
    readonly model?: Partial<ModelProvider>;
    /** The rights of the person. By default they cover every tool that demands no scope. */
    readonly rights?: ToolRights;
  } = {},
) {
  const state = memoryStore({ clock });
  const bus = memoryBus({});
  const infrastructure = {
    state,
    bus,
    log: silentLog,
    identity: serviceKeys.identityOf("agent"),
    trusted: serviceKeys.trusted,
    embedded: true,
    random: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
    monotonic: () => performance.now(),
    clock,
  };
  const { log, random, monotonic } = infrastructure;
  const keySet = staticKeySet({ keys: [] });
  const { signer } = serviceKeys.identityOf("agent");
  const worker =
    tools.length === 0
      ? null
      : await startWorker({ toolset: toolset({ name: served, tools }), bus, state, keys: keySet, signer, log, clock, monotonic, random });
  const config = readSettings(agentSettings, { POLL_MS: "10", OUTBOX_VISIBILITY_MS: "500", ...env });
  const parts = { provider: { ...scripted(script), ...model }, profiles: new Map([[profile.name, { ...profile, ...own }]]) };
  const start = () => startAgent(infrastructure, config, parts);
  let running = await Promise.all(Array.from({ length: agents }, start));
  const stopFollowing = new AbortController();
  const changed = follow(state.follow({ signal: stopFollowing.signal }));

  let wakes = 0;
  const self = {
    state,
    bus,
    /** Accepts an entry as the gateway does, and wakes the agent. */
    async accept(entry: InboxEntry): Promise<void> {
      const { entryId, runId } = entry;
      const key = keys.inbox("05", entryId);
      const origin =
        entry.kind === "message"
          ? [{ key: keys.runOrigin(runId), value: await signedOrigin(entry, serviceKeys.identityOf("gateway"), { rights }) }]
          : [];
      await state.commit("05", { op: entryId, guards: [{ key, version: 0 }], put: [...origin, { key, value: entry as unknown as Json }] });
      await self.wake(runId, entryId);
    },
    /** Announces an entry, as the gateway does until the agent has handled it. */
    async wake(runId: string, entryId: string): Promise<void> {
      const wake = { topic: topics.runWake, type: messageTypes.runWake, source: "/test", now: clock(), body: { runId, entryId } };
      await bus.publish(message({ id: `wake:${entryId}#${++wakes}`, ...wake }));
    },
    say(n: number, text: string, ifActive: "enqueue" | "reject" | "interrupt" = "enqueue"): Promise<void> {
      const ids = { entryId: run(n), runId: run(n), conversationId: CONVERSATION, agent: "default", profile: "chat" };
      return self.accept({ kind: "message", ...ids, text, input: {}, ifActive, acceptedAt: clock() });
    },
    cancel: (n: number) =>
      self.accept({ kind: "cancel", entryId: `${run(n)}!cancel`, runId: run(n), agent: "default", by: "user:ada", acceptedAt: clock() }),
    answer(callId: string, runId: string, text: string): Promise<void> {
      const ids = { entryId: `${callId}!answer`, runId, callId, agent: "default", by: "user:ada" };
      return self.accept({ kind: "answer", ...ids, text, acceptedAt: clock() });
    },
    events: async (n: number) => eventsOf(state, run(n)),
    /** Waits for the first matching event of a run. */
    async sees(n: number, wanted: (event: RunEvent) => boolean): Promise<RunEvent> {
      for (;;) {
        const next = changed.next();
        const found = (await self.events(n)).find(wanted);
        if (found) return found;
        await next;
      }
    },
    /** Waits for the first question that a run asks the person. */
    async asked(n: number): Promise<Extract<RunEvent, { type: "call.asked" }>> {
      const event = await self.sees(n, ({ type }) => type === "call.asked");
      if (event.type !== "call.asked") throw new Error(event.type);
      return event;
    },
    ended: (n: number) => self.sees(n, isRunEnd),
    /** Stops every agent, and starts another one in their place. */
    async anotherAgent(): Promise<void> {
      const before = running;
      running = [];
      await Promise.all(before.map((agent) => agent.stop()));
      running = [await start()];
    },
    /** Waits for the next live events of a run and returns them. */
    live: (n: number, count: number): Promise<readonly Json[]> => changed.live(keys.live(run(n)), count),
    async [Symbol.asyncDispose]() {
      stopFollowing.abort();
      await Promise.all(running.map((agent) => agent.stop()));
      await worker?.stop();
      await bus.close();
      await state.close();
    },
  };
  return self;
}

function scripted(script: Script): ModelProvider {
  let calls = 0;
  return {
    ...offlineModel(),
    name: "scripted",
    async complete(request): Promise<ModelReply> {
      const said = script(request);
      const usage = { inputTokens: 1, outputTokens: 1 };
      if (typeof said === "string") return { text: said, calls: [], stop: "end_turn", usage, model: "script-1" };
      return { text: "", calls: said.map((call) => ({ id: `s${++calls}`, ...call })), stop: "tool_use", usage, model: "script-1" };
    },
  };
}

/** Reads the store's feed once, on behalf of all functions that wait. */
function follow(feed: AsyncIterable<FeedItem>) {
  const waiting = new Set<(item: FeedItem) => void>();
  void (async () => {
    for await (const item of feed) for (const tell of waiting) tell(item);
    // The store has closed, so nothing may wait for it any more.
    for (const tell of waiting) tell({ kind: "gap" });
  })();
  const next = (): Promise<FeedItem> =>
    new Promise((resolve, reject) => {
      const deadline = setTimeout(() => (waiting.delete(tell), reject(new Error("Nothing happened for 20 s."))), 20_000);
      function tell(item: FeedItem): void {
        clearTimeout(deadline);
        waiting.delete(tell);
        resolve(item);
      }
      waiting.add(tell);
    });
  return {
    next,
    async live(log: string, count: number): Promise<readonly Json[]> {
      const batches: Json[] = [];
      while (batches.length < count) {
        const item = await next();
        if (item.kind === "live" && item.log === log) batches.push(item.batch);
      }
      return batches;
    },
  };
}
