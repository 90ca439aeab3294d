import {
  type PublicJwk,
  type ApprovalRequest,
  attributes,
  HOME_SHARD,
  type Json,
  type JsonObject,
  keys,
  type Message,
  message,
  messageIds,
  messageTypes,
  type RunOrigin,
  type ToolDefinition,
  topics,
} from "@toolbus/contracts";
import { ownKeys, signDocument, canonicalJson, toolHash } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";

// This file has the writes that the tests ask for, and the documents and messages that an agent, a gateway and a worker would make for them.

export const CONVERSATION = "cv_03_01HZX3V5J8K2M4N6P8Q0R2S4T6";
export const RUN = "rn_03_01HZX3V5J8K2M4N6P8Q0R2S4T7";
export const START = 1_800_000_000_000;

/** A refund. Its tier is medium up to 50 and high above. */
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
/** A payment that is high above 50 and critical above 1000. */
export const payout: ToolDefinition = {
  ...refund,
  name: "pay_out",
  risk: {
    tier: "medium",
    rules: [
      { when: { properties: { amount: { exclusiveMinimum: 50 } } }, tier: "high", reason: "more than 50" },
      { when: { properties: { amount: { exclusiveMinimum: 1000 } } }, tier: "critical", reason: "more than 1000" },
    ],
  },
};
export const wire: ToolDefinition = {
  ...refund,
  name: "wire_transfer",
  risk: { tier: "critical" },
  idempotency: { mode: "none" },
  effect: "Wire {amount} for {order}.",
};
export const note: ToolDefinition = { ...refund, name: "add_note", risk: { tier: "low" }, idempotency: { mode: "reconcile" } };

export interface Asked {
  readonly callId: string;
  readonly tool: ToolDefinition;
  readonly args: JsonObject;
  readonly agent?: string;
  /** Replaces fields of the request, as a faulty or hostile agent would. */
  readonly lie?: Partial<ApprovalRequest>;
}

export const call = (n: number): string => `${RUN}.${n}.0`;
export const bigRefund = (n: number): Asked => ({ callId: call(n), tool: refund, args: { amount: 149.99, order: "ORD-8821" } });
export const smallRefund = (n: number): Asked => ({ callId: call(n), tool: refund, args: { amount: 20, order: "ORD-1" } });
export const bigWire = (n: number): Asked => ({ callId: call(n), tool: wire, args: { amount: 90_000, order: "ORD-2" } });

export function requestMessage({ callId, tool, args, agent, lie }: Asked, n: number, now: number, sessionId = CONVERSATION): Message {
  const body: ApprovalRequest = {
    toolCallId: callId,
    toolName: tool.name,
    toolVersion: tool.version,
    toolHash: toolHash(tool),
    arguments: canonicalJson(args),
    sessionId,
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

export async function register(
  store: StateStore,
  definition: ToolDefinition,
  registeredAt: number,
  toolset = "orders",
  receiptKey?: PublicJwk,
): Promise<void> {
  const key = keys.registration(toolset, definition.name, definition.version);
  const { documents } = await store.read([key]);
  await store.commit(HOME_SHARD, {
    op: `register:${toolHash(definition)}:${receiptKey?.kid ?? ""}`,
    guards: [{ key, version: documents[0]?.version ?? 0 }],
    put: [
      {
        key,
        value: {
          toolset,
          definition,
          hash: toolHash(definition),
          registeredAt,
          lastSeenAt: registeredAt,
          ...(receiptKey ? { receiptKey: { ...receiptKey } } : {}),
        },
      },
    ],
    index: [{ index: keys.registryIndex(), member: `${toolset}/${definition.name}@${definition.version}`, score: 0 }],
  });
}

/** The keys of the services around approvals. */
export const own = await ownKeys(["gateway", "agent", "approvals", "worker.orders"]);

/** Records who asked for the run, as the gateway does. */
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
  const key = keys.runOrigin(origin.runId);
  await putDocument(
    store,
    key,
    await signDocument("tb-origin+jwt", { key, revision: 1, content: origin }, own.identityOf("gateway").signer),
  );
}

export async function putDocument(store: StateStore, key: string, value: Json): Promise<void> {
  const { documents } = await store.read([key]);
  const version = documents[0]?.version ?? 0;
  const shard = /\{(..)\}/.exec(key)?.[1] ?? HOME_SHARD;
  await store.commit(shard, { op: `put:${version}`, guards: [{ key, version }], put: [{ key, value }] });
}
