import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { memoryBus, type MessageBus } from "@toolbus/bus";
import {
  type Approval,
  type ApprovalRequest,
  approvalIdOf,
  attributes,
  HOME_SHARD,
  type Json,
  type JsonObject,
  keys,
  type Message,
  message,
  messageIds,
  messageTypes,
  parseApproval,
  type RunOrigin,
  shardOf,
  type ToolDefinition,
  topics,
} from "@toolbus/contracts";
import { argumentsHash, canonicalJson, type GrantClaims, staticKeySet, toolHash, verifyGrant } from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import { memoryStore, type StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { approvals, type ApprovalsService } from "./service.ts";
import { approvalsSettings } from "./settings.ts";

// Everything that the tests of a running service share: a real bus, store, keys and HTTP port, and a clock that they move.

export const CONVERSATION = "cv_03_01HZX3V5J8K2M4N6P8Q0R2S4T6";
export const RUN = "rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7";
export const START = 1_800_000_000_000;

/** The people of the tests. Keys are `key-<id>`. */
export const PEOPLE = [
  { id: "amy", tenant: "acme", roles: ["approver"], scopes: ["approve:*"] },
  { id: "ben", tenant: "acme", roles: ["approver"], scopes: ["approve:high", "approve:critical"] },
  { id: "cat", tenant: "acme", roles: ["approver"], scopes: ["approve:low"] },
  { id: "rita", tenant: "acme", roles: ["approver"], scopes: ["approve:*"] },
  { id: "otto", tenant: "acme", roles: ["operator"], scopes: [] },
  { id: "una", tenant: "acme", roles: ["user"], scopes: [] },
  { id: "zed", tenant: "other", roles: ["approver"], scopes: ["approve:*"] },
] as const;
export type Person = (typeof PEOPLE)[number]["id"];

/** A refund: medium up to 50, high above. */
export const refund: ToolDefinition = {
  name: "issue_refund",
  version: "1",
  description: "Pays money back.",
  parameters: {
    type: "object",
    additionalProperties: false,
    required: ["order", "amount"],
    properties: { order: { type: "string" }, amount: { type: "number" } },
  },
  kind: "write",
  risk: { tier: "medium", rules: [{ when: { properties: { amount: { exclusiveMinimum: 50 } } }, tier: "high", reason: "more than 50" }] },
  idempotency: { mode: "key", keepsForMs: 86_400_000 },
  timeoutMs: 30_000,
  effect: "Refund ${amount} for order {order}.",
  source: "orders",
};
export const wire: ToolDefinition = { ...refund, name: "wire_transfer", risk: { tier: "critical" }, idempotency: { mode: "none" }, effect: "Wire {amount} for {order}." };
export const note: ToolDefinition = { ...refund, name: "add_note", risk: { tier: "low" }, idempotency: { mode: "reconcile" } };

export interface Answer {
  readonly message: Message;
  readonly body: { readonly [field: string]: Json | undefined };
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: { readonly [field: string]: Json | undefined };
}

export interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly wrapStore?: (state: StateStore) => StateStore;
  readonly wrapBus?: (bus: MessageBus) => MessageBus;
  readonly tools?: readonly ToolDefinition[];
}

export async function setup(options: Options = {}) {
  const clock = { now: START };
  const read = (): number => clock.now;
  const folder = await mkdtemp(path.join(os.tmpdir(), "approvals-"));
  const keysFile = path.join(folder, "api-keys.json");
  await writeFile(keysFile, JSON.stringify(PEOPLE.map(apiKey)));
  const store = memoryStore({ clock: read });
  const bus = memoryBus({ clock: read });
  const state = options.wrapStore?.(store) ?? store;
  const serviceBus = options.wrapBus?.(bus) ?? bus;
  const env = {
    APPROVALS_PORT: "0",
    APPROVALS_API_KEYS_FILE: keysFile,
    APPROVALS_KEY_FILE: path.join(folder, "key.json"),
    PIN_ON_FIRST_SIGHT: "true",
    POLL_MS: "5",
    ...options.env,
  };
  const held = await mailbox(bus, topics.approvalHeld("default"));
  const decided = await mailbox(bus, topics.approvalDecided("default"));
  for (const tool of options.tools ?? [refund, wire, note]) await register(store, tool, clock.now);
  await putOrigin(store, {});
  let service: ApprovalsService = await startService();
  let requests = 0;

  return {
    clock,
    store,
    bus,
    held,
    decided,
    async [Symbol.asyncDispose]() {
      await service.stop();
      await bus.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
    /** A new process over the same store, bus and key. */
    async restart() {
      await service.stop();
      service = await startService();
    },
    async ask(asked: Asked): Promise<string> {
      await bus.publish(requestMessage(asked, ++requests, clock.now));
      return approvalIdOf(asked.callId);
    },
    /** Asks and waits until people are asked. */
    async hold(asked: Asked): Promise<string> {
      const id = await this.ask(asked);
      await held.next();
      return id;
    },
    async cancel(callId: string, reason = "The run was cancelled."): Promise<void> {
      const body = { toolCallId: callId, reason };
      const parts = { topic: topics.approvalCancel, type: messageTypes.approvalCancel, source: "/agents/default" };
      await bus.publish(message({ ...parts, id: messageIds.other("cancel", callId, ++requests), now: clock.now, body }));
    },
    async get(who: Person | null, url: string): Promise<HttpAnswer> {
      return http(await fetch(service.url + url, { headers: authorization(who) }));
    },
    /** Reads the approval for a token of this person's. */
    async token(who: Person, id: string): Promise<string> {
      const { body } = await this.get(who, `/v1/approvals/${id}`);
      if (typeof body["decisionToken"] !== "string") throw new Error(`${who} may not decide: ${String(body["mayNotBecause"])}`);
      return body["decisionToken"];
    },
    async post(who: Person | null, id: string, body: object): Promise<HttpAnswer> {
      const headers = { ...authorization(who), "content-type": "application/json" };
      return http(await fetch(`${service.url}/v1/approvals/${id}/decision`, { method: "POST", headers, body: JSON.stringify(body) }));
    },
    /** Reads, then decides, as a person does. */
    async decide(who: Person, id: string, decision: string, extra: object = {}): Promise<HttpAnswer> {
      return this.post(who, id, { decision, token: await this.token(who, id), ...extra });
    },
    async stored(id: string): Promise<Approval> {
      const { documents } = await store.read([keys.approval(id)]);
      const parsed = parseApproval(documents[0]?.value);
      if (!parsed.ok) throw new Error(`${id} is not stored as it should be.`);
      return parsed.value;
    },
    async audit(shard = shardOf(RUN)): Promise<readonly JsonObject[]> {
      return entries(store, keys.audit(shard));
    },
    async security(shard = shardOf(RUN)): Promise<readonly JsonObject[]> {
      return entries(store, keys.security(shard, "approvals"));
    },
    /** What a worker makes of the grant in an answer, now. */
    async verdict(answer: Answer, asked: Asked, expected: { readonly tier: "low" | "medium" | "high" | "critical"; readonly need: number; readonly era?: number }) {
      const jwks = (await this.get(null, "/.well-known/jwks.json")).body;
      const call = { callId: asked.callId, tool: asked.tool.name, toolVersion: asked.tool.version, toolHash: toolHash(asked.tool), argsHash: argumentsHash(canonicalJson(asked.args)) };
      return verifyGrant({
        grant: answer.message.attributes[attributes.grant],
        keys: await staticKeySet({ keys: jwks["keys"] as never }),
        now: clock.now,
        era: expected.era ?? 1,
        expected: { toolset: "orders", ...call, tier: expected.tier, need: expected.need },
      });
    },
  };

  async function startService(): Promise<ApprovalsService> {
    const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
    return approvals.start({ bus: serviceBus, state, log: silentLog, random, monotonic: read, clock: read }, readSettings(approvalsSettings, env));
  }
}

export interface Asked {
  readonly callId: string;
  readonly tool: ToolDefinition;
  readonly args: JsonObject;
  readonly agent?: string;
  /** Replaces fields of the request: what a faulty or hostile agent would send. */
  readonly lie?: Partial<ApprovalRequest>;
}

export const call = (n: number): string => `${RUN}.${n}.0`;
export const bigRefund = (n: number): Asked => ({ callId: call(n), tool: refund, args: { amount: 149.99, order: "ORD-8821" } });
export const smallRefund = (n: number): Asked => ({ callId: call(n), tool: refund, args: { amount: 20, order: "ORD-1" } });
export const bigWire = (n: number): Asked => ({ callId: call(n), tool: wire, args: { amount: 90_000, order: "ORD-2" } });

export async function register(store: StateStore, definition: ToolDefinition, registeredAt: number, toolset = "orders"): Promise<void> {
  const key = keys.registration(toolset, definition.name, definition.version);
  const { documents } = await store.read([key]);
  await store.commit(HOME_SHARD, {
    op: `register:${toolHash(definition)}`,
    guards: [{ key, version: documents[0]?.version ?? 0 }],
    put: [{ key, value: { toolset, definition, hash: toolHash(definition), registeredAt, lastSeenAt: registeredAt } }],
    index: [{ index: keys.registryIndex(), member: `${toolset}/${definition.name}@${definition.version}`, score: 0 }],
  });
}

export async function putOrigin(store: StateStore, part: Partial<RunOrigin>): Promise<void> {
  const origin: RunOrigin = {
    runId: RUN,
    conversationId: CONVERSATION,
    tenant: "acme",
    principal: "rita",
    scopes: ["orders"],
    agent: "default",
    messageHash: "hash",
    via: { kind: "http" },
    createdAt: START,
    openUntil: START + 48 * 3_600_000,
    ...part,
  };
  await putDocument(store, keys.runOrigin(origin.runId), origin);
}

export async function putDocument(store: StateStore, key: string, value: Json): Promise<void> {
  const { documents } = await store.read([key]);
  const version = documents[0]?.version ?? 0;
  const shard = /\{(..)\}/.exec(key)?.[1] ?? HOME_SHARD;
  await store.commit(shard, { op: `put:${version}`, guards: [{ key, version }], put: [{ key, value }] });
}

/** The claims of a grant, unchecked. */
export function claimsOf(answer: Answer): GrantClaims {
  const payload = (answer.message.attributes[attributes.grant] ?? "").split(".")[1] ?? "";
  return JSON.parse(Buffer.from(payload, "base64url").toString());
}

export function requestMessage({ callId, tool, args, agent, lie }: Asked, n: number, now: number): Message {
  const body: ApprovalRequest = {
    toolCallId: callId,
    toolName: tool.name,
    toolVersion: tool.version,
    toolHash: toolHash(tool),
    arguments: canonicalJson(args),
    sessionId: CONVERSATION,
    ...lie,
  };
  return message({
    id: messageIds.other("request", callId, n),
    topic: topics.approvalRequest,
    type: messageTypes.approvalRequest,
    source: "/agents/default",
    now,
    correlationId: callId,
    attributes: { [attributes.agent]: agent },
    body,
  });
}

/** Waits, in turns of the event loop, until something stored or sent is as it should be. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}

/** What arrives on a queue, in order; `next` waits for it. A moved clock makes the relay repeat a message, so the same id counts once. */
async function mailbox(bus: MessageBus, topic: string) {
  const arrived: Answer[] = [];
  const waiting: ((answer: Answer) => void)[] = [];
  const seen = new Set<string>();
  await bus.consume(
    topic,
    async ({ message: got }) => {
      if (seen.has(got.id)) return { kind: "ack" };
      seen.add(got.id);
      const answer: Answer = { message: got, body: JSON.parse(got.body) };
      const first = waiting.shift();
      if (first) first(answer);
      else arrived.push(answer);
      return { kind: "ack" };
    },
    { concurrency: 1 },
  );
  return {
    next(): Promise<Answer> {
      const answer = arrived.shift();
      return answer ? Promise.resolve(answer) : new Promise((resolve) => waiting.push(resolve));
    },
    get unread(): number {
      return arrived.length;
    },
  };
}

function apiKey({ id, tenant, roles, scopes }: (typeof PEOPLE)[number]) {
  return { id: `key of ${id}`, sha256: createHash("sha256").update(`key-${id}`).digest("hex"), principal: id, tenant, roles, scopes };
}

function authorization(who: Person | null): Record<string, string> {
  return who === null ? {} : { authorization: `Bearer key-${who}` };
}

async function http(response: Response): Promise<HttpAnswer> {
  return { status: response.status, body: JSON.parse(await response.text()) };
}

async function entries(store: StateStore, log: string): Promise<readonly JsonObject[]> {
  const found = await store.range(log, { after: 0, limit: 1000 });
  return found.map(({ value }) => value as JsonObject);
}

