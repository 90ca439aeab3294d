import { rootRunId, shardOf } from "./ids.ts";

/**
 * Names in the state store: `tb:<family>:{<shard>}:<id>`, family first so that access rules can be written, shard as the Redis Cluster
 * hash tag. A service writes only its own families (docs/mechanics.md#documents-and-their-owners).
 */
export type Family =
  | "origin"
  | "inbox"
  | "ticket"
  | "conversation"
  | "run"
  | "call"
  | "stop"
  | "transcript"
  | "context"
  | "events"
  | "live"
  | "budget"
  | "working"
  | "profile"
  | "approval"
  | "token"
  | "audit"
  | "pin"
  | "policy"
  | "era"
  | "quota"
  | "security"
  | "dead"
  | "replay"
  | "removal"
  | `registry.${string}`
  | `ledger.${string}`
  | `rate.${string}`
  | `hook.${string}`
  | `index.${string}`;

/** The shard for documents that belong to no conversation: registry, pins, era. */
export const HOME_SHARD = "00";

export function keyOf(family: Family, shard: string, id: string): string {
  return `tb:${family}:{${shard}}:${id}`;
}

/** Every name that the services use. Exactly one service writes each. */
export const keys = {
  conversationOrigin: (conversationId: string) => keyOf("origin", shardOf(conversationId), conversationId),
  /** A sub-run's origin is its root's. */
  runOrigin: (runId: string) => keyOf("origin", shardOf(runId), rootRunId(runId)),
  inbox: (shard: string, entryId: string) => keyOf("inbox", shard, entryId),
  /** What a browser presents to read the stream of one run, kept under its hash. */
  streamTicket: (runId: string, hash: string) => keyOf("ticket", shardOf(runId), `${runId}:${hash}`),
  conversation: (conversationId: string) => keyOf("conversation", shardOf(conversationId), conversationId),
  run: (runId: string) => keyOf("run", shardOf(runId), runId),
  call: (callId: string) => keyOf("call", shardOf(callId), callId),
  /** The profiles that an agent knows, for the gateway to look up. */
  profiles: (agent: string) => keyOf("profile", HOME_SHARD, agent),
  /** Present if the call must not begin, or send, any more. */
  stop: (callId: string) => keyOf("stop", shardOf(callId), callId),
  transcript: (conversationId: string) => keyOf("transcript", shardOf(conversationId), conversationId),
  /** Which part of the transcript the model sees, and the summary of what is left out. */
  context: (conversationId: string) => keyOf("context", shardOf(conversationId), conversationId),
  events: (runId: string) => keyOf("events", shardOf(runId), runId),
  live: (runId: string) => keyOf("live", shardOf(runId), runId),
  /** The used part of a budget: a run's, or that of a principal or a tenant for one day, whose shard is given. */
  budget: (shard: string, id: string) => keyOf("budget", shard, id),
  /** The content of working memory under the key of an index, which names its conversation. */
  working: (conversationId: string, indexKey: string) => keyOf("working", shardOf(conversationId), indexKey),
  ledger: (toolset: string, callId: string) => keyOf(`ledger.${toolset}`, shardOf(callId), callId),
  /** Which call has its turn at a resource, by the hash of the resource's name; no call id looks like it. */
  resource: (toolset: string, shard: string, hash: string) => keyOf(`ledger.${toolset}`, shard, `resource.${hash}`),
  /** Marks that a worker runs a call again that did not end properly before; no call id looks like it. */
  crashMark: (toolset: string, callId: string) => keyOf(`ledger.${toolset}`, shardOf(callId), `crash.${callId}`),
  registration: (toolset: string, tool: string, version: string) => keyOf(`registry.${toolset}`, HOME_SHARD, `${tool}@${version}`),
  /** A definition that is no longer registered, by its hash: neither a tool's name nor "name@version" can look like one. */
  replacedDefinition: (toolset: string, hash: string) => keyOf(`registry.${toolset}`, HOME_SHARD, hash),
  /** The living replicas of a toolset; no name of a tool with its version looks like it. */
  replicas: (toolset: string) => keyOf(`registry.${toolset}`, HOME_SHARD, "replicas"),
  registryIndex: () => "index.registry",
  /** Names of all agents that ever started, each a member. */
  agentIndex: () => "index.agents",
  approval: (approvalId: string) => keyOf("approval", shardOf(approvalId), approvalId),
  token: (approvalId: string, hash: string) => keyOf("token", shardOf(approvalId), hash),
  /** What an operator's `Idempotency-Key`, by its hash, was used for. */
  operatorKey: (hash: string) => keyOf("token", HOME_SHARD, `operator:${hash}`),
  audit: (shard: string) => keyOf("audit", shard, "audit"),
  /** The definition of a tool that approvals uses. */
  pin: (tool: string) => keyOf("pin", HOME_SHARD, tool),
  /** Another version of it that approvals also grants. */
  pinBeside: (tool: string, hash: string) => keyOf("pin", HOME_SHARD, `${tool}@${hash}`),
  era: () => keyOf("era", HOME_SHARD, "era"),
  /** Signed by approvals for nothing but this: whoever verifies it has the keys that verify grants. It lies in a family that every service may read. */
  keyProbe: () => keyOf("era", HOME_SHARD, "probe"),
  /** How many writes of a tool the policy alone granted under one origin. */
  quota: (runId: string, tool: string) => keyOf("quota", shardOf(runId), `${rootRunId(runId)}:${tool}:granted`),
  security: (shard: string, service: string) => keyOf("security", shard, service),
  pendingApprovals: () => "index.approvals.pending",
  /** How many requests a caller has made in its minute. Belongs to no conversation, so its shard is given. */
  rate: (service: string, shard: string, id: string) => keyOf(`rate.${service}`, shard, id),
  deadLetter: (letterId: string) => keyOf("dead", shardOf(letterId), letterId),
  /** Dead letters by the time when they were stored: all, or those of one queue. Members are `indexedLetter`s. */
  deadLetters: (queue?: string) => (queue === undefined ? "index.dead" : `index.dead.${queue}`),
  /** An operator's request to replay a dead letter. */
  replayRequest: (letterId: string) => keyOf("replay", shardOf(letterId), letterId),
  /** An operator's request to remove a registration, by its member in the registry's index. */
  removal: (member: string) => keyOf("removal", HOME_SHARD, member),
  removals: () => "index.removals",
  /** Deliveries due to a target of webhooks, by the service that sends them. */
  delivery: (service: string, deliveryId: string) => keyOf(`hook.${service}`, shardOf(deliveryId), deliveryId),
  /** Deliveries that were given up, by time. */
  failedDeliveries: (service: string) => `index.hooks.${service}`,
  runIndex: (principal: string) => `index.runs.${principal}`,
  /** The active runs of the principal with this hash, and some ended ones. It is among the lists of runs, so the right to those covers it. */
  openRuns: (hash: string) => `index.runs.~open.${hash}`,
  /** The conversations of the principal with this hash by when they began; here for the same reason. */
  conversationIndex: (hash: string) => `index.runs.~conversations.${hash}`,
} as const;
