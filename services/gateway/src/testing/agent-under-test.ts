import {
  type Call,
  callParts,
  type ConversationState,
  isRunEnd,
  type Json,
  keys,
  parseRun,
  parseRunOrigin,
  type Run,
  type RunEvent,
  shardOf,
  type TextDelta,
  type StoredEntry,
} from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";

/** Writes what an agent writes about a run, one commit at a time, when the test says so. */
export interface AgentByHand {
  /** Takes an accepted run, which has a document from now on. */
  take(runId: string, part?: Partial<Run>): Promise<void>;
  /** Appends events and writes the run's document in one commit, as the agent does. */
  say(runId: string, ...events: readonly RunEvent[]): Promise<void>;
  /** Sends text of a round while the model writes it. */
  live(runId: string, delta: Omit<TextDelta, "type">): Promise<void>;
  /** Makes or changes a call of the run's current round. The call's state says what an open call waits for. */
  call(callId: string, part: Partial<Call>): Promise<void>;
  /** Stores the state of a conversation. */
  keep(conversationId: string, part: Partial<ConversationState>): Promise<void>;
  /** Adds messages to a conversation. */
  transcribe(conversationId: string, ...entries: readonly StoredEntry[]): Promise<void>;
  /** Records the request to cancel, as the agent does when it takes the entry. */
  cancel(runId: string): Promise<void>;
}

const USAGE = { inputTokens: 10, outputTokens: 5, modelCalls: 1, toolCalls: 0 } as const;

export function agentByHand(store: StateStore): AgentByHand {
  let commits = 0;
  return {
    async take(runId, part = {}) {
      const { documents, now } = await store.read([keys.runOrigin(runId)]);
      const origin = parseRunOrigin(documents[0]?.value);
      if (!origin.ok) throw new Error(`${runId} was never accepted.`);
      await write({ ...freshRun(runId, origin.value.conversationId, now), ...part }, 0, []);
    },
    async say(runId, ...events) {
      const { run, version } = await read(runId);
      const next = events.reduce(after, run);
      await write(next, version, events);
    },
    async live(runId, delta) {
      await store.live(keys.live(runId), { type: "delta", ...delta });
    },
    async call(callId, part) {
      const { runId } = callParts(callId);
      const { run, version } = await read(runId);
      const call = { ...freshCall(callId, run.conversationId), ...part };
      const calls = [
        ...run.calls.filter((other) => other.callId !== callId),
        { callId, write: false, resolved: call.state === "resolved" },
      ];
      await commit(runId, keys.call(callId), call as unknown as Json);
      await write({ ...run, status: "waiting", calls, pending: calls.length }, version, []);
    },
    async keep(conversationId, part) {
      const state: ConversationState = { conversationId, activeRun: null, queue: [], runs: 0, usage: USAGE, model: null, ...part };
      await commit(conversationId, keys.conversation(conversationId), state as unknown as Json);
    },
    async transcribe(conversationId, ...entries) {
      const key = `${keys.conversation(conversationId)}:said ${++commits}`;
      const append = [{ log: keys.transcript(conversationId), entries: entries as unknown as readonly Json[] }];
      const change = { op: `by hand ${commits}`, guards: [{ key, version: 0 }], put: [{ key, value: null }], append };
      await store.commit(shardOf(conversationId), change);
    },
    async cancel(runId) {
      const { run, version } = await read(runId);
      await write({ ...run, cancel: { entryId: `${runId}!cancel`, by: "una", at: run.createdAt } }, version, []);
    },
  };

  async function read(runId: string): Promise<{ run: Run; version: number }> {
    const { documents } = await store.read([keys.run(runId)]);
    const parsed = parseRun(documents[0]?.value);
    if (!parsed.ok) throw new Error(`${runId} was not taken.`);
    return { run: parsed.value, version: documents[0]?.version ?? 0 };
  }

  async function commit(id: string, key: string, value: Json): Promise<void> {
    const { documents } = await store.read([key]);
    const change = { op: `by hand ${++commits}`, guards: [{ key, version: documents[0]?.version ?? 0 }], put: [{ key, value }] };
    const { outcome } = await store.commit(shardOf(id), change);
    if (outcome !== "ok") throw new Error(`The commit by hand was ${outcome}.`);
  }

  async function write(run: Run, version: number, events: readonly RunEvent[]): Promise<void> {
    const key = keys.run(run.runId);
    const change = { op: `by hand ${++commits}`, guards: [{ key, version }], put: [{ key, value: run as unknown as Json }] };
    const append = events.length === 0 ? {} : { append: [{ log: keys.events(run.runId), entries: events as unknown as readonly Json[] }] };
    const { outcome } = await store.commit(shardOf(run.runId), { ...change, ...append });
    if (outcome !== "ok") throw new Error(`The commit by hand was ${outcome}.`);
  }
}

/** Returns a turn that answers with text alone. */
export function turn(round: number, text = `round ${round}`): RunEvent {
  return { type: "turn", at: 0, round, seed: round === 0, provider: "p", model: "m", text, calls: [], usage: USAGE };
}

export const started: RunEvent = {
  type: "run.started",
  at: 0,
  profile: "release-investigation",
  input: {},
  tools: [],
  registryVersion: "1",
};

export const completed: RunEvent = { type: "run.completed", at: 0, text: "done", truncated: false, report: null, usage: USAGE };

export const cancelled: RunEvent = { type: "run.cancelled", at: 0, by: "una", report: null, usage: USAGE };

function after(run: Run, event: RunEvent): Run {
  if (event.type === "turn") return { ...run, round: event.round + 1 };
  if (!isRunEnd(event)) return run;
  const status = event.type === "run.completed" ? "done" : event.type === "run.failed" ? "failed" : "cancelled";
  return {
    ...run,
    status,
    endedAt: run.createdAt,
    ending: event.type === "run.completed" ? { text: event.text, truncated: event.truncated } : { text: "" },
  };
}

function freshCall(callId: string, conversationId: string): Call {
  const { runId, round, index } = callParts(callId);
  return {
    callId,
    runId,
    conversationId,
    round,
    index,
    transcriptId: "call_1",
    toolName: "issue_refund",
    toolVersion: "1",
    toolHash: "sha256-x",
    toolset: "orders",
    kind: "write",
    idempotency: "key",
    keepsForMs: 1000,
    timeoutMs: 1000,
    arguments: "{}",
    argsHash: "sha256-x",
    secret: "s",
    state: "dispatched",
    dispatch: 1,
    requests: 0,
    createdAt: 0,
    sentAt: 0,
    notAfter: null,
    heldMs: 0,
  };
}

function freshRun(runId: string, conversationId: string, now: number): Run {
  return {
    runId,
    conversationId,
    agent: "default",
    profile: "release-investigation",
    input: { releaseId: "v2" },
    message: null,
    ordinal: 1,
    accepted: 1,
    status: "ready",
    tools: [],
    registryVersion: "1",
    round: 0,
    epoch: 1,
    lease: null,
    attempts: 0,
    activeMs: 0,
    stepStartedAt: now,
    pending: 0,
    events: 0,
    calls: [],
    cancel: null,
    repeats: { key: "", count: 0 },
    fruitless: 0,
    usage: USAGE,
    createdAt: now,
    startedAt: now,
    endedAt: null,
    ending: null,
    report: null,
  };
}
