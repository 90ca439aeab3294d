import { createHash, randomBytes } from "node:crypto";
import { approvals } from "@toolbus/approvals";
import {
  attributes,
  callIdOf,
  type Era,
  type Idempotency,
  keys,
  message,
  type Message,
  messageIds,
  messageTypes,
  newConversationId,
  newRunId,
  parseEra,
  type RunOrigin,
  shardOf,
  topics,
} from "@toolbus/contracts";
import { canonicalJson, httpKeySet, ownKeys, signDocument, type Signer, type TrustedKeys } from "@toolbus/grants";
import { defineService, readSettings, runServices } from "@toolbus/runtime";
import { connectState } from "@toolbus/state";
import { defineTool, readResult, startWorker, type Toolset, toolset } from "@toolbus/tool-kit";
import type { Scratch } from "../e2e/testing/scratch.ts";

const serviceKeys = await ownKeys(["gateway", "agent"]);

const OPERATOR_KEY = "key-of-otto";
const OPERATOR = {
  id: "otto's",
  sha256: createHash("sha256").update(OPERATOR_KEY).digest("hex"),
  principal: "otto",
  tenant: "acme",
  roles: ["operator"],
  scopes: [],
};
const ARGS = { to: "ann" };

/** The outcome of an invoke as the agent sees it: the status of its result, or `grant_stale`, and the text. */
export interface Answered {
  readonly status: string;
  readonly text: string;
}

/**
 * Starts a worker and approvals in this process. Each has its own connection, so the store sees two processes. The worker starts as `runServices`
 * starts it, and notices a loss itself. Approvals only receives the worker's report of the loss. The test acts as the agent. It also acts as the
 * target, which counts effects.
 */
export async function rolledBackSystem(stateUrl: string, files: Scratch) {
  const clock = Date.now;
  const effects: string[] = [];
  const tools = countingTools(effects);
  const own = await connectState(stateUrl, { clock });
  const ids = { now: clock(), random: randomBytes(16) };
  const conversationId = newConversationId(ids, own.shards);
  const runId = newRunId(ids, conversationId);
  await putOrigin(own, { runId, conversationId });

  let url = "";
  // The key of `worker.orders`, which approvals trusts for receipts.
  let signer: Signer;
  const decider = defineService({
    name: "decider",
    settings: {},
    // The worker reports losses under this name.
    identity: () => ({ setting: "", file: "", names: ["worker.orders"] }),
    async start(infrastructure) {
      const config = readSettings(approvals.settings, {
        APPROVALS_PORT: "0",
        APPROVALS_API_KEYS_FILE: files.file("api-keys.json", JSON.stringify([OPERATOR])),
        APPROVALS_KEY_FILE: files.at("key.json"),
        PIN_ON_FIRST_SIGHT: "true",
      });
      const { losses: _, ...others } = infrastructure;
      ({ signer } = infrastructure.identity);
      const service = await approvals.start({ ...others, trusted: both(others.trusted, serviceKeys.trusted), state: own }, config);
      ({ url } = service);
      return service;
    },
  });
  const worker = defineService({
    name: "orders-worker",
    settings: {},
    async start(infrastructure) {
      const keySet = httpKeySet({ url: `${url}/.well-known/jwks.json`, clock, timeoutMs: 5000 });
      const { stop } = await startWorker({ ...infrastructure, signer, toolset: tools, keys: keySet });
      return { unready: () => [], stop };
    },
  });
  const running = await runServices([decider, worker], { env: { BUS_URL: "memory:", STATE_URL: stateUrl, LOG_LEVEL: "silent" } });
  const { bus, state } = running.infrastructure;
  const decided = await mailbox(topics.approvalDecided("default"));
  const answered = await mailbox(topics.result("default"));
  let sent = 0;

  return {
    effects,
    shard: shardOf(runId),
    callId: (n: number) => callIdOf(runId, 1, n),
    /** Asks approvals for a grant for this call, and returns the grant. */
    async grant(tool: string, n: number): Promise<string> {
      const callId = callIdOf(runId, 1, n);
      const executor = tools.find(tool, undefined);
      const body = {
        toolCallId: callId,
        toolName: tool,
        toolVersion: executor?.definition.version,
        toolHash: executor?.hash,
        arguments: canonicalJson(ARGS),
        sessionId: conversationId,
      };
      const parts = { topic: topics.approvalRequest, type: messageTypes.approvalRequest, source: "/agents/default", now: clock() };
      await bus.publish(message({ ...parts, id: messageIds.other("request", callId, ++sent), correlationId: callId, body }));
      const grant = (await decided.next()).attributes[attributes.grant];
      if (grant === undefined) throw new Error(`Call ${n} got no grant.`);
      return grant;
    },
    /** Sends the call to the worker under this grant, and returns the outcome as the agent sees it. */
    async invoke(tool: string, n: number, grant: string): Promise<Answered> {
      const callId = callIdOf(runId, 1, n);
      const named = { [attributes.grant]: grant, [attributes.callSecret]: "secret", [attributes.dispatch]: ++sent };
      const body = { toolCallId: callId, toolName: tool, arguments: canonicalJson(ARGS), sessionId: conversationId };
      const parts = { topic: topics.invoke(tools.name), type: messageTypes.toolInvoke, source: "/agents/default", now: clock() };
      const id = messageIds.invoke(callId, sent);
      await bus.publish(message({ ...parts, id, correlationId: callId, replyTo: topics.result("default"), attributes: named, body }));
      const answer = await answered.next();
      if (answer.type === messageTypes.grantStale) return { status: "grant_stale", text: answer.body };
      const read = readResult(answer);
      if (!read.ok) throw new Error("The answer cannot be read.");
      return { status: read.value.result.status, text: answer.body };
    },
    /** Waits until the stored era meets the condition, and returns it. */
    async era(holds: (era: Era | null) => boolean): Promise<Era | null> {
      for (;;) {
        const { documents } = await state.read([keys.era()]);
        const parsed = parseEra(documents[0]?.value);
        const era = parsed.ok ? parsed.value : null;
        if (holds(era)) return era;
      }
    },
    async resume(shards: readonly string[]): Promise<number> {
      const headers = { authorization: `Bearer ${OPERATOR_KEY}`, "content-type": "application/json" };
      return (await fetch(`${url}/v1/era/resume`, { method: "POST", headers, body: JSON.stringify({ shards }) })).status;
    },
    /** Resolves when both connections reach the server again. */
    async reconnected(): Promise<void> {
      for (const store of [state, own]) while (!(await answers(store)));
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      await own.close();
    },
  };

  async function mailbox(topic: string) {
    const arrived: Message[] = [];
    let wake = (): void => undefined;
    await bus.consume(topic, async ({ message: got }) => (arrived.push(got), wake(), { kind: "ack" }), { concurrency: 1 });
    const next = async (): Promise<Message> => {
      const first = arrived.shift();
      if (first) return first;
      await new Promise<void>((resolve) => (wake = resolve));
      return next();
    };
    return { next };
  }
}

async function answers(store: Awaited<ReturnType<typeof connectState>>): Promise<boolean> {
  return store.read([]).then(
    () => true,
    () => new Promise((resolve) => setImmediate(() => resolve(false))),
  );
}

/** Makes two low writes that policy grants. The target of one ignores the idempotency key, and the target of the other honours it. */
function countingTools(effects: string[]): Toolset {
  const tool = (name: string, idempotency: Idempotency) =>
    defineTool({
      name,
      kind: "write",
      description: "Pays.",
      parameters: {
        type: "object",
        properties: { to: { type: "string", maxLength: 40 } },
        required: ["to"],
        additionalProperties: false,
      },
      risk: { tier: "low" },
      idempotency,
      effect: "Pay {to}.",
      prepare: async (args) => args,
      run: (_, { idempotencyKey }) => {
        effects.push(idempotencyKey);
        return { paid: true };
      },
    });
  return toolset({ name: "orders", tools: [tool("pay", { mode: "none" }), tool("pay_by_key", { mode: "key", keepsForMs: 86_400_000 })] });
}

/** Combines this process's trusted keys with those of the services that the test replaces. */
function both(first: TrustedKeys, second: TrustedKeys): TrustedKeys {
  return { of: (name) => (first.knows(name) ? first : second).of(name), knows: (name) => first.knows(name) || second.knows(name) };
}

async function putOrigin(store: Awaited<ReturnType<typeof connectState>>, run: Pick<RunOrigin, "runId" | "conversationId">): Promise<void> {
  const now = Date.now();
  const origin: RunOrigin = {
    ...run,
    tenant: "acme",
    principal: "rita",
    scopes: ["*"],
    agent: "default",
    messageHash: "hash",
    via: { kind: "http" },
    createdAt: now,
    openUntil: now + 48 * 3_600_000,
  };
  const key = keys.runOrigin(run.runId);
  const value = await signDocument("tb-origin+jwt", { key, revision: 1, content: origin }, serviceKeys.identityOf("gateway").signer);
  await store.commit(shardOf(run.runId), { op: "origin", guards: [{ key, version: 0 }], put: [{ key, value }] });
}
