import { setTimeout as pause } from "node:timers/promises";
import {
  approvalIdOf,
  callIdOf,
  isRunEnd,
  type Json,
  type JsonObject,
  keys,
  type Message,
  message,
  type Run,
  type RunEvent,
} from "@toolbus/contracts";
import { wholeEvents } from "@toolbus/runtime";
import type { LogEntry } from "@toolbus/state";
import { decideOnCard } from "./decide.ts";
import { ask, type Answer } from "./http.ts";
import { type Means, openMeans, type Whose } from "./means.ts";
import { type Attacked, type Effect, TOOLS } from "./payments.ts";
import type { SystemUnderAttack } from "./system.ts";
import { textIn } from "./text-in.ts";

/**
 * The service that the attacker has compromised. With `approvals`, the attacker has only the logins of approvals. A `stranger` has no key. If services
 * have logins, a `stranger` has no login either.
 */
export const ATTACKERS = ["agent", "worker", "neighbour", "gateway", "approvals", "stranger", "http"] as const;
export type Attacker = (typeof ATTACKERS)[number];

/** A write that waits for a decision. */
export interface Held {
  readonly runId: string;
  readonly callId: string;
  readonly approvalId: string;
  readonly args: { readonly payee: string; readonly amount: number };
  readonly tool: string;
}

/** A write that the target has received but not answered yet. */
export interface UnderWay {
  readonly write: Held;
  /** The agent's document of the call. It contains the grant and the secret. */
  readonly call: JsonObject;
  /** Lets the target answer, and resolves when the run is over. */
  finish(): Promise<void>;
  /** Lets the target answer, without waiting for the run. */
  answer(): void;
}

/** Everything that an attack can use: the actions of honest people, the attackers' means, and views of the system's real state. */
export interface Arena {
  readonly system: SystemUnderAttack;
  as(attacker: Exclude<Attacker, "http">): Means;
  /** Reads and repairs the real content of the store. It does not use the attackers' logins. */
  readonly eye: Means;
  /**
   * Asks for a write as Rita, in a new run. Resolves when the gateway has accepted the request. If policy grants the write, the arena counts the
   * write as allowed.
   */
  asked(which: Attacked, args: Held["args"], options?: { readonly as?: "rita" | "clerk" | "reader" }): Promise<Held>;
  /** Asks for a write. Resolves when approvals has asked people to decide it. */
  held(which: Attacked, args: Held["args"]): Promise<Held>;
  /** Decides as this approver, who waits for the plan before an approval. If the approver approves, the arena counts the write as allowed. */
  decide(held: Held, decision: "approve" | "deny", approver?: "amy" | "ben", ticket?: string): Promise<Answer>;
  /** Returns a run's events so far. */
  events(runId: string): Promise<readonly RunEvent[]>;
  /** Waits until the run has ended and returns its events. */
  ended(runId: string): Promise<readonly RunEvent[]>;
  /**
   * Approves a write. Resolves when the target has received the write. The target does not answer until `finish` or `answer`. Until then, the agent
   * has the grant and the worker has its lease.
   */
  underWay(which: Attacked, args: Held["args"]): Promise<UnderWay>;
  /** Approves a write and waits until its run is over. */
  done(which: Attacked, args: Held["args"]): Promise<Held>;
  readonly allowed: () => readonly Effect[];
  /** Repeats the attempt until it returns a result, and resolves with that result. */
  until<T>(what: string, attempt: () => Promise<T | null> | T | null, withinMs?: number): Promise<T>;
  approvals(path: string): string;
  gateway(path: string): string;
  /** Returns the content of a stored document. */
  stored(key: string): Promise<JsonObject>;
  close(): Promise<void>;
}

const DEADLINE_MS = 15_000;
const AGAIN_MS = 25;

export async function openArena(system: SystemUnderAttack): Promise<Arena> {
  const { people, apart } = system;
  const closing: (() => Promise<void>)[] = [];
  const allowed: Effect[] = [];
  const [gatewayUrl = ""] = apart.gatewayUrls;
  const [approvalsUrl = ""] = apart.approvalsUrls;
  const approvals = (path: string): string => approvalsUrl + path;
  const gateway = (path: string): string => gatewayUrl + path;
  const meansOf = (whose: Whose): Means => openMeans(whose, { system, closing, text: (key) => eye.text(key) });
  const means: Readonly<Record<Exclude<Attacker, "http">, Means>> = {
    agent: meansOf({ addresses: system.addressesOf("agent"), keyOf: "agent", service: "agent" }),
    worker: meansOf({ addresses: system.addressesOf("worker-payments"), keyOf: "worker.payments", service: "worker.payments" }),
    neighbour: meansOf({ addresses: system.addressesOf("worker-notes"), keyOf: "worker.notes", service: "worker.notes" }),
    gateway: meansOf({ addresses: system.addressesOf("gateway"), keyOf: "gateway", service: "gateway" }),
    approvals: meansOf({ addresses: system.addressesOf("approvals"), keyOf: null, service: "approvals" }),
    stranger: meansOf({ addresses: system.bare, keyOf: null, service: "stranger" }),
  };
  const eye: Means = meansOf({ addresses: system.admin, keyOf: null, service: "nobody" });
  const self: Arena = {
    system,
    as: (attacker) => means[attacker],
    eye,
    approvals,
    gateway,
    async asked(which, args, { as = "rita" } = {}) {
      const tool = TOOLS[which];
      const said = await ask(gateway("/v1/conversations"), people[as], { profile: "direct" });
      if (said.status !== 201) throw new Error(`The gateway answered ${said.status}: ${JSON.stringify(said.body)}`);
      const text = `${tool} ${JSON.stringify(args)}`;
      const { status, body } = await ask(gateway(`/v1/conversations/${textIn(said.body["conversationId"])}/messages`), people[as], {
        text,
      });
      if (status !== 202) throw new Error(`The gateway answered ${status}: ${JSON.stringify(body)}`);
      const runId = textIn(body["runId"]);
      const callId = callIdOf(runId, 1, 0);
      if (which === "low" && as !== "reader") allowed.push({ tool, callId, ...args });
      return { runId, callId, approvalId: approvalIdOf(callId), args, tool };
    },
    async held(which, args) {
      const tool = TOOLS[which];
      const asked = await self.asked(which, args);
      const events = await self.until(`${tool} to be held`, async () => upTo(await self.events(asked.runId), "call.held"));
      if (!events.some(({ type }) => type === "call.held")) throw new Error(`${tool} was not held: ${JSON.stringify(events.at(-1))}`);
      return asked;
    },
    async decide({ approvalId, callId, tool, args }, decision, approver = "amy", ticket) {
      const url = approvals(`/v1/approvals/${encodeURIComponent(approvalId)}`);
      const answer = await self.until("the plan", () => decideOnCard({ url, key: people[approver], decision, ticket }));
      // People decide twice if the target has changed, but the write may happen only once.
      const isNew = allowed.every((effect) => effect.callId !== callId);
      if (isNew && answer.status === 200 && answer.body["status"] === "approved") allowed.push({ tool, callId, ...args });
      return answer;
    },
    async events(runId) {
      // A log is a list whose first element is its expiry.
      const range = async (log: string, { after, limit }: { readonly after: number; readonly limit: number }): Promise<LogEntry[]> => {
        const found = await eye.redis("LRANGE", `${log}#log`, String(after + 1), String(after + limit));
        return (Array.isArray(found) ? found : []).map((entry, n) => ({
          sequence: after + n + 1,
          value: JSON.parse(textIn(entry)) as Json,
        }));
      };
      const stored = await range(keys.events(runId), { after: 0, limit: 100_000 });
      if (stored.length === 0) return [];
      const { conversationId } = (await self.stored(keys.run(runId))) as unknown as Run;
      return [...(await wholeEvents({ range }, conversationId, stored))];
    },
    ended: (runId) => self.until(`the end of ${runId}`, async () => upTo(await self.events(runId), "end")),
    async underWay(which, args) {
      const answer = system.target.pause();
      try {
        const write = await self.held(which, args);
        await self.decide(write, "approve");
        const isThere = (): boolean => system.target.journal().some(({ callId }) => callId === write.callId);
        await self.until(`${write.tool} to reach its target`, () => (isThere() ? true : null));
        const call = await self.stored(keys.call(write.callId));
        return {
          write,
          call,
          answer,
          async finish() {
            answer();
            await self.ended(write.runId);
          },
        };
      } catch (error) {
        answer();
        throw error;
      }
    },
    async done(which, args) {
      const held = await self.held(which, args);
      const { status, body } = await self.decide(held, "approve");
      if (status !== 200) throw new Error(`Approvals answered ${status}: ${JSON.stringify(body)}`);
      await self.ended(held.runId);
      return held;
    },
    allowed: () => allowed,
    async until(what, attempt, withinMs = DEADLINE_MS) {
      const late = performance.now() + withinMs;
      for (;;) {
        const found = await attempt();
        if (found !== null) return found;
        if (performance.now() > late) throw new Error(`Waited ${Math.round(withinMs / 1000)} s for ${what}.`);
        await pause(AGAIN_MS);
      }
    },
    stored: (key) => eye.look(key),
    async close() {
      await Promise.all(closing.map((close) => close()));
    },
  };
  return self;
}

/** Returns the events if one of them is of this type or if the run has ended. Otherwise returns null. */
function upTo(events: readonly RunEvent[], type: "call.held" | "end"): readonly RunEvent[] | null {
  return events.some((event) => event.type === type || isRunEnd(event)) ? events : null;
}

/** Makes a message in the form that services use, but with another sender. */
export function forgedMessage(parts: Omit<Parameters<typeof message>[0], "now" | "source">): Message {
  return message({ ...parts, source: "/redteam", now: Date.now() });
}
