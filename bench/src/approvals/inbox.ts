import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { approvals, approvalsSettings } from "@toolbus/approvals";
import { memoryBus } from "@toolbus/bus";
import {
  type ApprovalRequest,
  attributes,
  HOME_SHARD,
  keys,
  message,
  messageIds,
  messageTypes,
  type RunOrigin,
  shardName,
  shardOf,
  type ToolDefinition,
  topics,
} from "@toolbus/contracts";
import { canonicalJson, ownKeys, signDocument, toolHash } from "@toolbus/grants";
import { readSettings } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";

/** Approvals over a store with many pending approvals, and the actions of a person and of an agent on them. */
export interface Inbox {
  /** Makes approvals hold this many more writes. Resolves when people have been asked about all of them. */
  hold(count: number): Promise<readonly string[]>;
  /** Reads the first page of the pending approvals, as a person does. */
  page(): Promise<void>;
  /** Reads the card of this approval and denies the approval, as a person does. Resolves when the agent has the answer. */
  decide(approvalId: string): Promise<void>;
  /**
   * Makes approvals hold this many more writes, and waits until all of them are due to expire. Returns how many milliseconds approvals then took to
   * expire all of them.
   */
  expiries(count: number, expiresMs: number, now: () => number): Promise<number>;
  stop(): Promise<void>;
}

const TOOL: ToolDefinition = {
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
  risk: { tier: "high" },
  idempotency: { mode: "key", keepsForMs: 86_400_000 },
  timeoutMs: 30_000,
  effect: "Refund ${amount} for order {order}.",
  source: "orders",
};
const HASH = toolHash(TOOL);
const DAY_MS = 86_400_000;
const BATCH = 200;
const SHARDS = 16;
const CALLS = 100;

/** Starts approvals on an empty store, with its files in `directory`. */
export async function openInbox(bare: StateStore, directory: string): Promise<Inbox> {
  const [begun, expired] = [counter(), counter()];
  const state: StateStore = {
    ...bare,
    async commit(shard, change) {
      const expires = change.op.startsWith("expire:");
      if (expires) begun.add();
      const reply = await bare.commit(shard, change);
      if (expires && reply.outcome === "ok") expired.add();
      return reply;
    },
  };
  const own = await ownKeys(["gateway", "agent", "approvals", "worker.orders"]);
  const key = randomBytes(24).toString("base64url");
  const bus = memoryBus({ clock: Date.now });
  const keysFile = path.join(directory, "api-keys.json");
  const amy = { id: "amy", principal: "amy", tenant: "acme", roles: ["approver"], scopes: ["approve:*"] };
  await writeFile(keysFile, JSON.stringify([{ ...amy, sha256: createHash("sha256").update(key).digest("hex") }]), { mode: 0o600 });
  await register(state);
  const runs = await Promise.all(Array.from({ length: SHARDS }, async (_, n) => startRun(n)));
  let asked = 0;
  const held = counter();
  const ended = counter();
  for (const [topic, heard] of [
    [topics.approvalHeld("default"), held],
    [topics.approvalDecided("default"), ended],
  ] as const)
    await bus.consume(topic, async () => (heard.add(), { kind: "ack" }), { concurrency: 64 });
  let service = await start(DAY_MS);

  const self: Inbox = {
    async hold(count) {
      const ids: string[] = [];
      while (ids.length < count) {
        const some = Array.from({ length: Math.min(BATCH, count - ids.length) }, () => request());
        const all = held.reaches(held.count() + some.length);
        await Promise.all(some.map(({ sent }) => bus.publish(sent)));
        await all;
        ids.push(...some.map(({ approvalId }) => approvalId));
      }
      return ids;
    },
    page: async () => void (await ask("/v1/approvals?limit=20")),
    async decide(approvalId) {
      const { decisionToken } = (await ask(`/v1/approvals/${approvalId}`)) as { readonly decisionToken: string };
      const done = ended.reaches(ended.count() + 1);
      await ask(`/v1/approvals/${approvalId}/decision`, { decision: "deny", token: decisionToken });
      await done;
    },
    async expiries(count, expiresMs, now) {
      await service.stop();
      service = await start(expiresMs);
      const before = ended.count();
      await self.hold(count);
      await service.stop();
      await new Promise((resolve) => setTimeout(resolve, expiresMs));
      if (ended.count() > before) throw new Error("the first writes expired before the last ones were held: the machine is too slow");
      // Measures from the start of the first commit to the reply of the last commit. The answers to the agent may arrive later, all at once.
      const ends = Promise.all([
        begun.reaches(begun.count() + 1, now),
        expired.reaches(expired.count() + count, now),
        ended.reaches(before + count),
      ]);
      // The timers are due, so approvals begin to expire the writes while the service starts.
      service = await start(DAY_MS);
      const [first, last] = await ends;
      return last - first;
    },
    async stop() {
      await service.stop();
      await bus.close();
    },
  };
  return self;

  async function start(expiryMs: number): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const settings = {
      APPROVALS_PORT: "0",
      APPROVALS_API_KEYS_FILE: keysFile,
      APPROVALS_KEY_FILE: path.join(directory, "key.json"),
      APPROVAL_EXPIRY_MS: String(expiryMs),
      PENDING_PER_REQUESTER: "0",
      DECISIONS_PER_MINUTE: "0",
      PIN_ON_FIRST_SIGHT: "true",
    };
    const infrastructure = {
      bus,
      state,
      log: silentLog,
      identity: own.identityOf("approvals"),
      trusted: own.trusted,
      embedded: true,
      random: (bytes: number) => new Uint8Array(randomBytes(bytes)),
      monotonic: () => performance.now(),
      clock: Date.now,
    };
    return approvals.start(infrastructure, readSettings(approvalsSettings, settings));
  }

  async function ask(url: string, body?: object): Promise<unknown> {
    const posted = body && { method: "POST", body: JSON.stringify(body) };
    const headers = { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) };
    const response = await fetch(service.url + url, { ...posted, headers });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${url} was answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }

  function request() {
    const n = ++asked;
    const run = runs[n % runs.length] ?? "";
    // A round has at most four digits, so each round has many calls.
    const callId = `${run}.${1 + Math.floor(n / CALLS)}.${n % CALLS}`;
    const body: ApprovalRequest = {
      toolCallId: callId,
      toolName: TOOL.name,
      toolVersion: TOOL.version,
      toolHash: HASH,
      arguments: canonicalJson({ order: `ORD-${n}`, amount: 100 }),
      sessionId: run.replace("rn_", "cv_"),
    };
    const sent = message({
      id: messageIds.other("request", callId, 1),
      topic: topics.approvalRequest,
      type: messageTypes.approvalRequest,
      source: "/agents/default",
      now: Date.now(),
      correlationId: callId,
      attributes: { [attributes.agent]: "default" },
      body,
    });
    return { sent, approvalId: `ap_${callId}` };
  }

  async function startRun(n: number): Promise<string> {
    const runId = `rn_${shardName(n)}_01HZX3V5J8K2M4N6P8Q0R2S4T7`;
    const { now } = await state.read([keys.era()]);
    const origin: RunOrigin = {
      runId,
      conversationId: runId.replace("rn_", "cv_"),
      tenant: "acme",
      principal: "rita",
      scopes: [],
      agent: "default",
      messageHash: "hash",
      via: { kind: "http" },
      createdAt: now,
      openUntil: now + 2 * DAY_MS,
    };
    const originKey = keys.runOrigin(runId);
    const value = await signDocument("tb-origin+jwt", { key: originKey, revision: 1, content: origin }, own.identityOf("gateway").signer);
    await state.commit(shardOf(runId), { op: "origin", guards: [{ key: originKey, version: 0 }], put: [{ key: originKey, value }] });
    return runId;
  }
}

async function register(state: StateStore): Promise<void> {
  const { now } = await state.read([keys.era()]);
  const key = keys.registration("orders", TOOL.name, TOOL.version);
  await state.commit(HOME_SHARD, {
    op: "register",
    guards: [{ key, version: 0 }],
    put: [{ key, value: { toolset: "orders", definition: TOOL, hash: HASH, registeredAt: now, lastSeenAt: now } }],
    index: [{ index: keys.registryIndex(), member: `orders/${TOOL.name}@${TOOL.version}`, score: 0 }],
  });
}

/** Makes a counter with promises that resolve when the count reaches a number. A promise resolves with the time of that moment. */
function counter() {
  let count = 0;
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  return {
    count: () => count,
    add() {
      count++;
      for (const one of waiting.filter(({ at }) => at === count)) one.resolve();
    },
    reaches: (at: number, now = () => 0): Promise<number> =>
      new Promise((resolve) => (at <= count ? resolve(now()) : waiting.push({ at, resolve: () => resolve(now()) }))),
  };
}
