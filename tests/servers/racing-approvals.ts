import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { approvals, approvalsSettings } from "@toolbus/approvals";
import { memoryBus } from "@toolbus/bus";
import {
  type ApprovalDecided,
  attributes,
  HOME_SHARD,
  type JsonObject,
  keys,
  message,
  messageIds,
  messageTypes,
  type RunOrigin,
  shardOf,
  type ToolDefinition,
  topics,
} from "@toolbus/contracts";
import { canonicalJson, ownKeys, signDocument, toolHash } from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { Webhook } from "standardwebhooks";

/** An answer to a decision. */
export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly body: JsonObject;
}

export const EXPIRY_MS = 15 * 60_000;
const START = 1_800_000_000_000;
const RUN = "rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7";
const SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
const PEOPLE = ["amy", "ben"] as const;
export type Person = (typeof PEOPLE)[number];

const wire: ToolDefinition = {
  name: "wire_transfer",
  version: "1",
  description: "Wires money.",
  parameters: { type: "object", additionalProperties: false, required: ["amount"], properties: { amount: { type: "number" } } },
  kind: "write",
  risk: {
    tier: "high",
    rules: [{ when: { properties: { amount: { exclusiveMinimum: 1000 } } }, tier: "critical", reason: "more than 1000" }],
  },
  idempotency: { mode: "none" },
  timeoutMs: 30_000,
  effect: "Wire {amount}.",
  source: "orders",
};

/**
 * Starts two replicas of approvals on the stores that `open` makes with the test's clock. Both replicas take every kind of work. Returns the clock
 * and the replicas.
 */
export async function racingApprovals(open: (clock: () => number) => Promise<readonly [StateStore, StateStore]>) {
  const clock = { now: START };
  const read = (): number => clock.now;
  const folder = await mkdtemp(path.join(os.tmpdir(), "races-"));
  const stores = await open(read);
  const [store] = stores;
  const bus = memoryBus({ clock: read });
  const own = await ownKeys(["gateway", "agent", "approvals", "worker.orders"]);
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  await writeFile(
    path.join(folder, "keys.json"),
    JSON.stringify(
      PEOPLE.map((id) => ({ id, sha256: sha256(`key-${id}`), principal: id, tenant: "acme", roles: ["approver"], scopes: ["approve:*"] })),
    ),
  );
  const source = { name: "chat", secrets: [SECRET], tenant: "acme", tiers: ["high", "critical"], approvers: { U1: "amy", U2: "ben" } };
  await writeFile(path.join(folder, "hooks.json"), JSON.stringify({ sources: [source] }), { mode: 0o600 });
  await prepare();
  const decided = new Map<string, Set<string>>();
  const heldAt = new Map<string, () => void>();
  await bus.consume(topics.approvalHeld("default"), async ({ message: { body } }) => (heldAt.get(idIn(body))?.(), { kind: "ack" }), {
    concurrency: 8,
  });
  await bus.consume(
    topics.approvalDecided("default"),
    async ({ message: { body } }) => {
      const { approvalId, outcome } = JSON.parse(body) as ApprovalDecided;
      decided.set(approvalId, (decided.get(approvalId) ?? new Set()).add(outcome));
      return { kind: "ack" };
    },
    { concurrency: 8 },
  );
  const replicas = [await start(stores[0]), await start(stores[1])];
  const urlOf = (replica: number): string => replicas[replica % 2]?.url ?? "";
  let asked = 0;
  let hooks = 0;
  let audited = 0;

  return {
    clock,
    /** Asks for a write and waits until people are asked. */
    async hold(amount: number): Promise<string> {
      // A round has at most four digits, so each round has many calls.
      const n = ++asked;
      const callId = `${RUN}.${1 + Math.floor(n / 100)}.${n % 100}`;
      const held = Promise.withResolvers<void>();
      heldAt.set(`ap_${callId}`, held.resolve);
      const body = {
        toolCallId: callId,
        toolName: wire.name,
        toolVersion: wire.version,
        toolHash: toolHash(wire),
        arguments: canonicalJson({ amount }),
        sessionId: RUN.replace("rn_", "cv_"),
      };
      const parts = { topic: topics.approvalRequest, type: messageTypes.approvalRequest, source: "/agents/default", now: clock.now };
      const id = messageIds.other("request", callId, 1);
      await bus.publish(message({ ...parts, id, correlationId: callId, attributes: { [attributes.agent]: "default" }, body }));
      await held.promise;
      heldAt.delete(`ap_${callId}`);
      return `ap_${callId}`;
    },
    async token(who: Person, id: string): Promise<string> {
      const { body } = await answered(
        await fetch(`${urlOf(asked)}/v1/approvals/${id}`, { headers: { authorization: `Bearer key-${who}` } }),
      );
      return textOf(body["decisionToken"]);
    },
    async decide(replica: number, who: Person, id: string, body: object): Promise<Answered> {
      const headers = { authorization: `Bearer key-${who}`, "content-type": "application/json" };
      return answered(
        await fetch(`${urlOf(replica)}/v1/approvals/${id}/decision`, { method: "POST", headers, body: JSON.stringify(body) }),
      );
    },
    /** Returns a function that sends one signed request of the chat. It can be called any number of times. */
    hook(body: object): (replica: number) => Promise<Answered> {
      const [text, id, at] = [JSON.stringify(body), `msg-${++hooks}`, new Date(clock.now)];
      const signed = {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(SECRET).sign(id, at, text),
      };
      const headers = { "content-type": "application/json", ...signed };
      return async (replica) => answered(await fetch(`${urlOf(replica)}/v1/hooks/chat`, { method: "POST", headers, body: text }));
    },
    /** Returns the approval as each replica shows it. */
    async seen(id: string): Promise<readonly JsonObject[]> {
      const headers = { authorization: "Bearer key-amy" };
      return Promise.all([0, 1].map(async (n) => (await answered(await fetch(`${urlOf(n)}/v1/approvals/${id}`, { headers }))).body));
    },
    /** Returns the outcomes of this approval that the agent was told. */
    told: (id: string): readonly string[] => [...(decided.get(id) ?? [])],
    /** Returns the audit's entries about this approval that were written since the last call. */
    async audit(id: string): Promise<readonly string[]> {
      const entries = await store.range(keys.audit(shardOf(RUN)), { after: audited, limit: 1000 });
      audited = entries.at(-1)?.sequence ?? audited;
      return entries.flatMap(({ value }) => ((value as JsonObject)["approvalId"] === id ? [textOf((value as JsonObject)["event"])] : []));
    },
    async [Symbol.asyncDispose]() {
      for (const replica of replicas) await replica.stop();
      await bus.close();
      for (const one of new Set(stores)) await one.close();
      await rm(folder, { recursive: true, force: true });
    },
  };

  function start(state: StateStore) {
    const settings = {
      APPROVALS_PORT: "0",
      APPROVALS_API_KEYS_FILE: path.join(folder, "keys.json"),
      APPROVALS_KEY_FILE: path.join(folder, "key.json"),
      DECISION_HOOKS_FILE: path.join(folder, "hooks.json"),
      APPROVAL_EXPIRY_MS: String(EXPIRY_MS),
      PIN_ON_FIRST_SIGHT: "true",
      POLL_MS: "2",
      DECISIONS_PER_MINUTE: "0",
      PENDING_PER_REQUESTER: "0",
    };
    const infrastructure = {
      bus,
      state,
      log: silentLog,
      identity: own.identityOf("approvals"),
      trusted: own.trusted,
      embedded: true,
      random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
      monotonic: read,
      clock: read,
    };
    return approvals.start(infrastructure, readSettings(approvalsSettings, settings));
  }

  async function prepare(): Promise<void> {
    const origin: RunOrigin = {
      runId: RUN,
      conversationId: RUN.replace("rn_", "cv_"),
      tenant: "acme",
      principal: "rita",
      scopes: [],
      agent: "default",
      messageHash: "hash",
      via: { kind: "http" },
      createdAt: START,
      openUntil: START * 2,
    };
    const key = keys.runOrigin(RUN);
    const value = await signDocument("tb-origin+jwt", { key, revision: 1, content: origin }, own.identityOf("gateway").signer);
    await store.commit(shardOf(RUN), { op: "origin", guards: [{ key, version: 0 }], put: [{ key, value }] });
    const registration = keys.registration("orders", wire.name, wire.version);
    const seen = { registeredAt: START, lastSeenAt: START };
    await store.commit(HOME_SHARD, {
      op: "register",
      guards: [{ key: registration, version: 0 }],
      put: [{ key: registration, value: { toolset: "orders", definition: wire, hash: toolHash(wire), ...seen } }],
      index: [{ index: keys.registryIndex(), member: `orders/${wire.name}@${wire.version}`, score: 0 }],
    });
  }
}

async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as JsonObject };
}

function idIn(body: string): string {
  return textOf((JSON.parse(body) as JsonObject)["approvalId"]);
}

/** Returns a text of an answer. Throws if the value is not a text. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error("The answer has no text where one belongs.");
}
