import {
  approvalIdOf,
  isJsonObject,
  isRunEnd,
  type Json,
  keys,
  message,
  messageTypes,
  parseRun,
  type RunEnd,
  shardOf,
  topics,
} from "@toolbus/contracts";
import { cancelRun, createConversation, sendMessage } from "@toolbus/gateway";
import type { ModelCall, ModelProvider, ModelReply } from "@toolbus/models";
import type { Principal } from "@toolbus/runtime";
import type { Change } from "@toolbus/state";
import { PROFILE, type SystemUnderFuzz } from "./system-under-fuzz.ts";

const RITA: Principal = { id: "rita", tenant: "acme", roles: ["user", "operator"], scopes: [], keyId: "key of rita" };

/** The text of each request, and the calls that the model then makes. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  "look and note": ["look", "note"],
  "wire money": ["wire"],
  "wait for ever": ["linger"],
};

/** A model that makes the calls of its run's script, one call per turn, and then ends the run. */
export const scriptedModel: ModelProvider = {
  name: "scripted",
  model: "scripted-1",
  dialect: "any",
  capabilities: {
    tools: true,
    streaming: true,
    vision: false,
    sampling: true,
    contextTokens: 200_000,
    maxOutputTokens: 65_536,
    resultChars: 64_000,
  },
  estimateTokens: () => 1,
  async complete({ transcript, run: { runId } }): Promise<ModelReply> {
    const asked = transcript.find((entry) => entry.type === "user" && entry.runId === runId);
    const script = SCRIPTS[asked?.type === "user" ? asked.text : ""] ?? [];
    const turns = transcript.filter((entry) => entry.type === "assistant" && entry.runId === runId).length;
    const name = script[turns];
    const calls: readonly ModelCall[] = name === undefined ? [] : [{ id: `c${turns}`, name, arguments: '{"n":3}' }];
    return {
      text: name === undefined ? "Done." : "",
      calls,
      stop: name === undefined ? "end_turn" : "tool_use",
      usage: { inputTokens: 1, outputTokens: 1 },
      model: "scripted-1",
    };
  },
};

/** A run that somebody requested. */
export interface GenuineRun {
  readonly runId: string;
  readonly conversationId: string;
  /** Returns the id of the run's call in this round. */
  readonly callId: (round: number) => string;
}

/** Makes runs for people through the gateway's own functions, and waits for the documents that the services store about these runs. */
export function genuineRuns(system: () => SystemUnderFuzz, signal: () => AbortSignal) {
  const waiting = new Map<string, Set<() => void>>();
  const self = {
    committed({ put = [], append = [] }: Change): void {
      for (const key of [...put.map((entry) => entry.key), ...append.map((entry) => entry.log)])
        for (const look of waiting.get(key) ?? []) look();
    },

    async ask(text: keyof typeof SCRIPTS): Promise<GenuineRun> {
      const { gateway } = system();
      const created = await createConversation(gateway, { principal: RITA, body: { profile: PROFILE } });
      if (created.kind !== "created") throw new Error(`The gateway refused a conversation: ${JSON.stringify(created)}`);
      const { conversationId } = created.origin;
      const accepted = await sendMessage(gateway, { principal: RITA, conversationId, body: { text } });
      if (accepted.kind !== "accepted") throw new Error(`The gateway refused a message: ${JSON.stringify(accepted)}`);
      const { runId } = accepted;
      return { runId, conversationId, callId: (round) => `${runId}.${round}.0` };
    },

    async cancel({ runId }: GenuineRun): Promise<void> {
      await cancelRun(system().gateway, { principal: RITA, runId });
    },

    /** Cancels a run, which may have ended meanwhile. Resolves when the agent has handled the cancel. */
    async end(run: GenuineRun): Promise<void> {
      const key = keys.run(run.runId);
      await self.cancel(run);
      await self.until(key, `the cancel of ${run.runId}`, async () => {
        const { documents } = await system().store.read([key]);
        const stored = parseRun(documents[0]?.value);
        return stored.ok && (stored.value.cancel !== null || stored.value.endedAt !== null);
      });
    },

    /** Waits until the run has ended and returns the type of its end. */
    async ended({ runId }: GenuineRun): Promise<RunEnd["type"]> {
      let end: RunEnd["type"] | undefined;
      await self.until(keys.events(runId), `the end of ${runId}`, async () => {
        const events = await system().store.range(keys.events(runId), { after: 0, limit: 1000 });
        end = events.map(({ value }) => ({ type: memberOf(value, "type") })).find(isEnd)?.type;
        return end !== undefined;
      });
      if (!end) throw new Error(`The run ${runId} has no end.`);
      return end;
    },

    /** Resolves when a stored document has this member with this value. */
    stored(key: string, member: string, value: string): Promise<void> {
      return self.until(key, `${key} with ${member} ${value}`, async () => {
        const { documents } = await system().store.read([key]);
        return memberOf(documents[0]?.value, member) === value;
      });
    },

    /** Resolves when a condition is true. Checks it after every change of a document or log. */
    async until(key: string, what: string, holds: () => Promise<boolean>): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = (): void => void holds().then((done) => done && resolve(), reject);
      const late = (): void => reject(new Error(`This did not happen in time: ${what}.`));
      const all = waiting.get(key) ?? new Set();
      waiting.set(key, all.add(look));
      signal().addEventListener("abort", late, { once: true });
      look();
      await promise.finally(() => {
        all.delete(look);
        if (all.size === 0) waiting.delete(key);
        signal().removeEventListener("abort", late);
      });
    },

    held: (run: GenuineRun) => self.stored(keys.call(run.callId(1)), "state", "held"),
    sent: (run: GenuineRun) => self.stored(keys.call(run.callId(1)), "state", "dispatched"),
    takenBack: (run: GenuineRun) => self.stored(keys.approval(approvalIdOf(run.callId(1))), "status", "cancelled"),

    /** Stores an operator's request to replay a dead letter, as the gateway does. */
    async request(letterId: string, now: number): Promise<void> {
      const key = keys.replayRequest(letterId);
      const put = [{ key, value: { letterId, by: RITA.id, askedAt: now } }];
      await system().store.commit(shardOf(letterId), { op: `request:${letterId}`, guards: [{ key, version: 0 }], put });
    },

    /** Sends a requested replay, and waits until it is stored. */
    async replay(letterId: string, now: number): Promise<void> {
      const asks = { topic: topics.operationsReplay, type: messageTypes.operationsReplay, source: "/gateway", now, body: { letterId } };
      await system().outside.publish(message({ id: `ask:${letterId}#1`, ...asks }));
      await self.until(keys.deadLetter(letterId), `the replay of ${letterId}`, async () => {
        const { documents } = await system().store.read([keys.deadLetter(letterId)]);
        return isJsonObject(memberOf(documents[0]?.value, "replayed") ?? null);
      });
    },
  };
  return self;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return value !== undefined && isJsonObject(value) ? value[name] : undefined;
}

function isEnd(event: { readonly type: Json | undefined }): event is { readonly type: RunEnd["type"] } {
  return typeof event.type === "string" && isRunEnd({ type: event.type });
}
