import { createHash } from "node:crypto";
import {
  attributes,
  type InboxEntry,
  type Json,
  type JsonObject,
  keys,
  type Message,
  message,
  type MessageEntry,
  messageTypes,
  type RunOrigin,
  type RunWake,
  shardOf,
  topics,
} from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import type { Change } from "@toolbus/state";
import { type GatewayConfig, GATEWAY_SERVICE } from "./settings.ts";

export interface AcceptInput {
  readonly now: number;
  /** Names this very request: a repeat of it by the client is another one. */
  readonly requestId: string;
  readonly conversationId: string;
  readonly runId: string;
  readonly principal: Principal;
  readonly profile: string;
  readonly text: string;
  readonly input: JsonObject;
  /** What the request asked for, hashed: a repeat of its key with something else is refused. */
  readonly messageHash: string;
}

/** Accepts a message that starts a run in a new conversation: who asked, what for, and the obligation to tell the agent, in one commit. */
export function acceptMessage(input: AcceptInput, config: GatewayConfig): Change {
  const { now, conversationId, runId, principal } = input;
  const origin: RunOrigin = {
    runId,
    conversationId,
    tenant: principal.tenant,
    principal: principal.id,
    scopes: [...principal.scopes],
    agent: config.AGENT_NAME,
    messageHash: input.messageHash,
    via: { kind: "http" },
    createdAt: now,
    openUntil: now + config.ORIGIN_OPEN_MS,
  };
  const entry: MessageEntry = {
    kind: "message",
    entryId: runId,
    runId,
    conversationId,
    agent: config.AGENT_NAME,
    profile: input.profile,
    text: input.text,
    input: input.input,
    acceptedAt: now,
  };
  const expiresAt = now + KEPT_MS;
  return {
    // Not of the run alone: the store would take another request with the same Idempotency-Key for a repeat of this commit, and say "ok".
    op: `accept:${runId}:${input.requestId}`,
    guards: [
      { key: keys.runOrigin(runId), version: 0 },
      { key: keys.conversationOrigin(conversationId), version: 0 },
    ],
    put: [
      { key: keys.runOrigin(runId), value: origin, expiresAt },
      {
        key: keys.conversationOrigin(conversationId),
        value: { conversationId, tenant: principal.tenant, owner: principal.id, createdAt: now },
        expiresAt,
      },
      { key: keys.inbox(shardOf(runId), entry.entryId), value: entry as unknown as Json, expiresAt },
    ],
    index: [{ index: keys.runIndex(principal.id), member: runId, score: now }],
    ...announced(entry, 1, config, now),
  };
}

/** Accepts the wish to cancel a run. Accepting it twice is one entry. */
export function acceptCancel(runId: string, principal: Principal, now: number, config: GatewayConfig): Change {
  const entry: InboxEntry = {
    kind: "cancel",
    entryId: cancelEntryId(runId),
    runId,
    agent: config.AGENT_NAME,
    by: principal.id,
    acceptedAt: now,
  };
  const key = keys.inbox(shardOf(runId), entry.entryId);
  return {
    op: `accept:${entry.entryId}`,
    guards: [{ key, version: 0 }],
    put: [{ key, value: entry as unknown as Json, expiresAt: now + KEPT_MS }],
    ...announced(entry, 1, config, now),
  };
}

export const cancelEntryId = (runId: string): string => `${runId}!cancel`;

// Longer than a run is kept by the agent, so its owner is known as long as it is.
const KEPT_MS = 9 * 86_400_000;

/** The wake of an entry and the timer that repeats it until the agent has taken the entry. `n` tells repeats apart. */
export function announced(entry: InboxEntry, n: number, config: GatewayConfig, now: number): Required<Pick<Change, "timers" | "outbox">> {
  const wake = wakeFor(entry, n, now);
  return {
    timers: [{ service: GATEWAY_SERVICE, id: timerIdOf(entry), dueIn: config.WAKE_REPEAT_MS }],
    // One row an entry, whose message the next repeat replaces: while no agent takes wakes, they do not pile up.
    outbox: [{ service: GATEWAY_SERVICE, id: `wake:${entry.entryId}`, topic: wake.topic, message: wake as unknown as Json, dueIn: 0 }],
  };
}

export const timerIdOf = (entry: InboxEntry): string => `entry:${entry.entryId}`;

function wakeFor(entry: InboxEntry, n: number, now: number): Message {
  const body: RunWake = { runId: entry.runId, entryId: entry.entryId };
  return message({
    id: `wake:${entry.entryId}#g${n}`,
    topic: topics.runWake,
    type: messageTypes.runWake,
    source: "/gateway",
    now,
    attributes: { [attributes.agent]: entry.agent, [attributes.entry]: entry.entryId },
    body,
  });
}

/** The hash of what a request asks for, whatever the order of its fields. */
export function requestHash(body: JsonObject): string {
  const sorted = Object.fromEntries(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `sha256-${createHash("sha256").update(JSON.stringify(sorted)).digest("hex")}`;
}
