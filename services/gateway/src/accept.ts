import {
  attributes,
  callParts,
  type ConversationOrigin,
  type IfActive,
  type InboxEntry,
  type Json,
  type JsonObject,
  keys,
  type Message,
  message,
  type MessageEntry,
  messageTypes,
  ORIGIN_KEPT_MS,
  type RunOrigin,
  type RunWake,
  shardOf,
  topics,
} from "@toolbus/contracts";
import { contentHash, type Identity, type Signed, signDocument } from "@toolbus/grants";
import type { Principal } from "@toolbus/runtime";
import type { Change } from "@toolbus/state";
import { conversationsOf } from "./conversation-page.ts";
import { answerEntryId, cancelEntryId, deletionEntryId } from "./entry-ids.ts";
import { openRunsOf } from "./runs-under-way.ts";
import { type GatewayConfig, GATEWAY_SERVICE } from "./settings.ts";

/** The values that every accepted request needs. */
interface Accepting {
  readonly now: number;
  readonly principal: Principal;
  /** Identifies this one request. A repeat by the client has another id. */
  readonly requestId: string;
  /** The hash of the `Idempotency-Key`, if the request has one. */
  readonly keyHash?: string | undefined;
}

/** Signs the origins of runs. */
export type OriginSigner = Pick<Identity, "signer">;

/** A change that accepts an entry, and the wake that tells the agent. A timer of the change repeats the wake until the agent has taken the entry. */
export interface Accepted {
  readonly change: Change;
  readonly wake: Message;
}

export interface AcceptedMessage extends Omit<Accepting, "keyHash"> {
  readonly runId: string;
  /** The stored conversation, or a new one that begins with this message. A new one has version 0. */
  readonly conversation: { readonly version: number; readonly value: ConversationOrigin };
  readonly text: string;
  readonly input: JsonObject;
  readonly ifActive: IfActive;
  /** The hash of the request's content. A second request with the same key but other content is refused. */
  readonly messageHash: string;
  /** W3C trace context of the request. */
  readonly traceparent?: string | undefined;
}

/**
 * Accepts a message, which starts a run. One commit stores who asked, what the person asked for, and the obligation to notify the agent. The commit
 * also extends the time for which the conversation is stored. The origin is signed, because approvals and agents read the requester from it. After
 * the commit, the gateway need not read the origin to answer the request.
 */
export async function acceptMessage(
  accepted: AcceptedMessage,
  config: GatewayConfig,
  { signer }: OriginSigner,
): Promise<Accepted & { readonly origin: RunOrigin }> {
  const content = originOf(accepted, config);
  const key = keys.runOrigin(accepted.runId);
  const origin = await signDocument("tb-origin+jwt", { key, revision: 1, content }, signer);
  return { ...acceptance(accepted, origin, config), origin };
}

function originOf({ now, runId, principal, conversation, ...accepted }: AcceptedMessage, config: GatewayConfig): RunOrigin {
  return {
    runId,
    conversationId: conversation.value.conversationId,
    tenant: principal.tenant,
    principal: principal.id,
    scopes: [...principal.scopes],
    ...(principal.tools === undefined ? {} : { tools: [...principal.tools] }),
    agent: config.AGENT_NAME,
    messageHash: accepted.messageHash,
    textHash: contentHash(accepted.text),
    via: { kind: "http" },
    createdAt: now,
    openUntil: now + config.ORIGIN_OPEN_MS,
  };
}

function acceptance(accepted: AcceptedMessage, origin: Signed<RunOrigin>, config: GatewayConfig): Accepted {
  const { now, runId, principal, conversation } = accepted;
  const { conversationId, profile } = conversation.value;
  // A conversation is one trace, and its first message begins the trace.
  const traceparent = conversation.value.traceparent ?? accepted.traceparent;
  const traced = traceparent === undefined ? {} : { traceparent };
  const { text, input, ifActive } = accepted;
  const entry: MessageEntry = {
    kind: "message",
    entryId: runId,
    runId,
    conversationId,
    agent: config.AGENT_NAME,
    profile,
    text,
    input,
    ifActive,
    ...traced,
    acceptedAt: now,
  };
  const expiresAt = now + KEPT_MS;
  const change: Change = {
    // A repeated request with the same Idempotency-Key has the same run id. `acceptedBefore` in send-message.ts answers it before this commit. The op
    // contains the id of the request. Otherwise the store would treat a different request with the same Idempotency-Key as a repeat, and would
    // answer "ok".
    op: `accept:${runId}:${accepted.requestId}`,
    guards: [
      { key: keys.runOrigin(runId), version: 0 },
      { key: keys.conversationOrigin(conversationId), version: conversation.version },
    ],
    put: [
      { key: keys.runOrigin(runId), value: origin, expiresAt },
      keptConversation({ ...conversation.value, ...traced, lastRun: runId }, now),
      { key: keys.inbox(shardOf(runId), entry.entryId), value: entry as unknown as Json, expiresAt },
    ],
    index: [
      { index: keys.runIndex(principal.id), member: runId, score: now },
      listed(conversation.value),
      ...(config.RUNS_PER_PRINCIPAL === 0 ? [] : [{ index: openRunsOf(principal), member: runId, score: now }]),
    ],
    timers: [repeating(entry, config, now)],
  };
  return { change, wake: wakeFor(entry, 1, now) };
}

/** Accepts an empty conversation. */
export function acceptConversation(origin: ConversationOrigin, requestId: string): Change {
  return {
    op: `conversation:${origin.conversationId}:${requestId}`,
    guards: [{ key: keys.conversationOrigin(origin.conversationId), version: 0 }],
    put: [keptConversation(origin, origin.createdAt)],
    index: [listed(origin)],
  };
}

/**
 * Accepts the deletion of a conversation. From this commit on, nobody can see the conversation, and it accepts no message. The agent then removes the
 * conversation's messages. The conversation's own document stays as a mark, so that a repeat gets the same answer.
 */
export function acceptDeletion(
  accepted: {
    readonly now: number;
    readonly conversation: AcceptedMessage["conversation"];
    /** The run id that names the entry on the bus. */
    readonly runId: string;
    readonly requestId: string;
  },
  config: GatewayConfig,
): Accepted {
  const { now, conversation, runId, requestId } = accepted;
  const { conversationId, tenant, owner } = conversation.value;
  const entryId = deletionEntryId(conversationId);
  const entry: InboxEntry = { kind: "delete", entryId, runId, conversationId, agent: config.AGENT_NAME, by: owner, acceptedAt: now };
  const change: Change = {
    op: `accept:${entryId}:${requestId}`,
    guards: [{ key: keys.conversationOrigin(conversationId), version: conversation.version }],
    put: [
      keptConversation({ ...conversation.value, deletedAt: now }, now),
      { key: keys.inbox(shardOf(runId), entryId), value: entry as unknown as Json, expiresAt: now + KEPT_MS },
    ],
    index: [{ index: conversationsOf({ tenant, id: owner }), member: conversationId, score: null }],
    timers: [repeating(entry, config, now)],
  };
  return { change, wake: wakeFor(entry, 1, now) };
}

/** Accepts the request to cancel a run. A second request makes no second entry. */
export function acceptCancel({ runId, ...accepting }: Accepting & { readonly runId: string }, config: GatewayConfig): Accepted {
  return acceptEntry({ kind: "cancel", entryId: cancelEntryId(runId), runId, ...by(accepting, config) }, accepting, config);
}

/** Accepts an answer to a question of a run. A question has one answer, so a second request makes no second entry. */
export function acceptAnswer(
  { callId, text, ...accepting }: Accepting & { readonly callId: string; readonly text: string },
  config: GatewayConfig,
): Accepted {
  const { runId } = callParts(callId);
  return acceptEntry({ kind: "answer", entryId: answerEntryId(callId), runId, callId, text, ...by(accepting, config) }, accepting, config);
}

function by({ principal, keyHash, now }: Accepting, config: GatewayConfig) {
  return { agent: config.AGENT_NAME, by: principal.id, ...(keyHash === undefined ? {} : { keyHash }), acceptedAt: now };
}

function acceptEntry(entry: InboxEntry, { requestId }: Accepting, config: GatewayConfig): Accepted {
  const key = keys.inbox(shardOf(entry.runId), entry.entryId);
  const now = entry.acceptedAt;
  const change: Change = {
    op: `accept:${entry.entryId}:${requestId}`,
    guards: [{ key, version: 0 }],
    put: [{ key, value: entry as unknown as Json, expiresAt: now + KEPT_MS }],
    timers: [repeating(entry, config, now)],
  };
  return { change, wake: wakeFor(entry, 1, now) };
}

function keptConversation(value: ConversationOrigin, now: number): NonNullable<Change["put"]>[number] {
  return { key: keys.conversationOrigin(value.conversationId), value, expiresAt: now + CONVERSATION_KEPT_MS };
}

/** Returns the change that lists a conversation among those of its owner. A conversation that is already listed stays where it is. */
function listed(origin: ConversationOrigin): NonNullable<Change["index"]>[number] {
  const { tenant, owner: id, conversationId: member, createdAt: score } = origin;
  return { index: conversationsOf({ tenant, id }), member, score };
}

// Each of these times is longer than the agent keeps the object. So the gateway knows the owner as long as there is something to see.
const KEPT_MS = ORIGIN_KEPT_MS;
const CONVERSATION_KEPT_MS = 31 * 86_400_000;

/**
 * Returns the timer that repeats the wake of an entry until the agent has taken the entry. It is the promise that the agent hears of the entry, so the
 * wake itself needs no row in the outbox.
 */
export function repeating(entry: InboxEntry, config: GatewayConfig, now: number): NonNullable<Change["timers"]>[number] {
  return { service: GATEWAY_SERVICE, id: timerIdOf(entry), dueIn: repeatIn(config.WAKE_REPEAT_MS, now) };
}

/** Returns when a wake is repeated: up to a fifth later than asked, and at most a second, so that timers of about the same time are due together. */
function repeatIn(repeatMs: number, now: number): number {
  const step = Math.max(1, Math.min(1000, Math.floor(repeatMs / 5)));
  return Math.ceil((now + repeatMs) / step) * step - now;
}

export const timerIdOf = (entry: InboxEntry): string => `entry:${entry.entryId}`;

/** Returns the wake of an entry. `n` distinguishes repeats. */
export function wakeFor(entry: InboxEntry, n: number, now: number): Message {
  const body: RunWake = { runId: entry.runId, entryId: entry.entryId };
  return message({
    id: `wake:${entry.entryId}#g${n}`,
    topic: topics.runWake,
    type: messageTypes.runWake,
    source: "/gateway",
    now,
    attributes: {
      [attributes.agent]: entry.agent,
      [attributes.entry]: entry.entryId,
      [attributes.traceparent]: entry.kind === "message" ? entry.traceparent : undefined,
    },
    body,
  });
}
