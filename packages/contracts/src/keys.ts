import { rootRunId, shardOf } from "./ids.ts";

/**
 * The families of the names in the state store. A name has the form `tb:<family>:{<shard>}:<id>`. The family is first, so that access rules can name
 * it. The shard is the Redis Cluster hash tag. A service writes only its own families (docs/mechanics.md#documents-and-their-owners).
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
  | "skill"
  | "summary"
  | `registry.${string}`
  | `ledger.${string}`
  | `question.${string}`
  | `answer.${string}`
  | `rate.${string}`
  | `hook.${string}`
  | `index.${string}`;

/** The shard for documents that belong to no conversation, such as registry, pins and era. */
export const HOME_SHARD = "00";

export function keyOf(family: Family, shard: string, id: string): string {
  return `tb:${family}:{${shard}}:${id}`;
}

/** Every name that the services use. `rightsOf` lists the services that may write each of them. */
export const keys = {
  conversationOrigin: (conversationId: string) => keyOf("origin", shardOf(conversationId), conversationId),
  /** A sub-run has the origin of its root run. */
  runOrigin: (runId: string) => keyOf("origin", shardOf(runId), rootRunId(runId)),
  inbox: (shard: string, entryId: string) => keyOf("inbox", shard, entryId),
  /** The ticket with which a browser reads the stream of one run, under the ticket's hash. */
  streamTicket: (runId: string, hash: string) => keyOf("ticket", shardOf(runId), `${runId}:${hash}`),
  conversation: (conversationId: string) => keyOf("conversation", shardOf(conversationId), conversationId),
  run: (runId: string) => keyOf("run", shardOf(runId), runId),
  call: (callId: string) => keyOf("call", shardOf(callId), callId),
  /** The profiles of an agent, which the gateway looks up. */
  profiles: (agent: string) => keyOf("profile", HOME_SHARD, agent),
  /** A profile as runs began with it, under its hash. No agent's name has a dot. */
  profileText: (hash: string) => keyOf("profile", HOME_SHARD, `text.${hash}`),
  /** The stop of a call. The call must not begin or send once this document exists. */
  stop: (callId: string) => keyOf("stop", shardOf(callId), callId),
  transcript: (conversationId: string) => keyOf("transcript", shardOf(conversationId), conversationId),
  /** The part of the transcript that the model sees, and the summary of the rest. */
  context: (conversationId: string) => keyOf("context", shardOf(conversationId), conversationId),
  events: (runId: string) => keyOf("events", shardOf(runId), runId),
  live: (runId: string) => keyOf("live", shardOf(runId), runId),
  /** The used part of a budget. The budget belongs to a run, or to a principal or a tenant for one day. The caller passes the shard. */
  budget: (shard: string, id: string) => keyOf("budget", shard, id),
  /** The content of working memory under the key of an index. That key names its conversation. */
  working: (conversationId: string, indexKey: string) => keyOf("working", shardOf(conversationId), indexKey),
  ledger: (toolset: string, callId: string) => keyOf(`ledger.${toolset}`, shardOf(callId), callId),
  /** The lock of a call on a resource, under the hash of the resource's name. No call id has this form. */
  resource: (toolset: string, shard: string, hash: string) => keyOf(`ledger.${toolset}`, shard, `resource.${hash}`),
  /** The questions of a call to the requester of its run. */
  questions: (toolset: string, callId: string) => keyOf(`question.${toolset}`, shardOf(callId), callId),
  /** The requester's answer to one question of a call. */
  questionAnswer: (toolset: string, callId: string, questionId: string) =>
    keyOf(`answer.${toolset}`, shardOf(callId), `${callId}:${questionId}`),
  /** Marks a call that runs again after an attempt that did not end properly. No call id has this form. */
  crashMark: (toolset: string, callId: string) => keyOf(`ledger.${toolset}`, shardOf(callId), `crash.${callId}`),
  registration: (toolset: string, tool: string, version: string) => keyOf(`registry.${toolset}`, HOME_SHARD, `${tool}@${version}`),
  /** A definition that is no longer registered, under its hash. Neither a tool's name nor "name@version" can have this form. */
  replacedDefinition: (toolset: string, hash: string) => keyOf(`registry.${toolset}`, HOME_SHARD, hash),
  /** The living replicas of a toolset. No tool's name with a version has this form. */
  replicas: (toolset: string) => keyOf(`registry.${toolset}`, HOME_SHARD, "replicas"),
  /** The MCP servers that `mcp_register_server` added. No tool's name has this form. */
  registeredMcpServers: () => keyOf("registry.mcp", HOME_SHARD, "mcp:servers"),
  /** The lease of the replica that runs the MCP servers. */
  mcpLease: () => keyOf("registry.mcp", HOME_SHARD, "mcp:lease"),
  /** The guide of a toolset. No tool's name has this form. */
  guide: (toolset: string) => keyOf(`registry.${toolset}`, HOME_SHARD, "~guide"),
  /** A skill of the tenant with this hash. All skills are in one shard, so that a save can check the number of the tenant's skills. */
  skill: (tenantHash: string, name: string) => keyOf("skill", HOME_SHARD, `${tenantHash}.${name}`),
  /** The names of the skills of the tenant with this hash. */
  skillNames: (tenantHash: string) => keyOf("skill", HOME_SHARD, tenantHash),
  /** The words of a model about the tools of the service with this hash. */
  serverSummary: (serviceHash: string) => keyOf("summary", HOME_SHARD, serviceHash),
  /** The outcome of a call that saved a skill. The hash of a tenant has no such form. */
  skillSave: (callId: string) => keyOf("skill", HOME_SHARD, `call.${callId}`),
  registryIndex: () => "index.registry",
  /** The names of all agents that ever started. Each name is a member. */
  agentIndex: () => "index.agents",
  approval: (approvalId: string) => keyOf("approval", shardOf(approvalId), approvalId),
  token: (approvalId: string, hash: string) => keyOf("token", shardOf(approvalId), hash),
  /** The request that an operator's `Idempotency-Key` was used for, under the hash of that key. */
  operatorKey: (hash: string) => keyOf("token", HOME_SHARD, `operator:${hash}`),
  /** A person's session on the approval page, under the hash of the secret in the person's cookie. */
  pageSession: (hash: string) => keyOf("token", HOME_SHARD, `session:${hash}`),
  /** Marks that a sign-in at the provider has begun a session, so that it cannot begin a second one. */
  usedSignIn: (hash: string) => keyOf("token", HOME_SHARD, `sign-in:${hash}`),
  audit: (shard: string) => keyOf("audit", shard, "audit"),
  /**
   * The hash-chained copy of the audit. It contains the records of one tenant, or for null the records without a tenant. All chains are in one shard,
   * so that a commit can store records together with the position up to which the log of another shard was copied.
   */
  auditChain: (tenant: string | null) => keyOf("audit", HOME_SHARD, `chain.${chainName(tenant)}`),
  /** The log of a chain's signed checkpoints. */
  auditCheckpoints: (tenant: string | null) => keyOf("audit", HOME_SHARD, `checkpoints.${chainName(tenant)}`),
  auditHead: (tenant: string | null) => keyOf("audit", HOME_SHARD, `head.${chainName(tenant)}`),
  /** The position up to which the log of this shard was copied into the chains. */
  auditPosition: (shard: string) => keyOf("audit", HOME_SHARD, `position.${shard}`),
  auditLease: () => keyOf("audit", HOME_SHARD, "chainer"),
  /** The numbers of an approval's records in the chain of its tenant. */
  auditOf: (approvalId: string) => keyOf("audit", HOME_SHARD, `of.${approvalId}`),
  /** An index of all chains. Members are `chainName`s. */
  auditChains: () => "index.approvals.chains",
  /** The pin of a tool: the definition that approvals grants. */
  pin: (tool: string) => keyOf("pin", HOME_SHARD, tool),
  /** The pin of another version of the tool, which approvals also grants. */
  pinBeside: (tool: string, hash: string) => keyOf("pin", HOME_SHARD, `${tool}@${hash}`),
  era: () => keyOf("era", HOME_SHARD, "era"),
  /**
   * A document that approvals signs only so that readers can test their keys. If a reader can verify this document, it can also verify grants. Every
   * service may read the family `era`.
   */
  keyProbe: () => keyOf("era", HOME_SHARD, "probe"),
  /** The number of writes of a tool that the policy alone granted under one origin. */
  quota: (runId: string, tool: string) => keyOf("quota", shardOf(runId), `${rootRunId(runId)}:${tool}:granted`),
  security: (shard: string, service: string) => keyOf("security", shard, service),
  pendingApprovals: () => "index.approvals.pending",
  /** An index of the ended approvals of the tenant with this hash, or of those with one outcome, by the time of their end. */
  endedApprovals: (hash: string, outcome?: string) => `index.approvals.ended.${hash}${outcome === undefined ? "" : `.${outcome}`}`,
  /** The hashes of the tenants that have an index of ended approvals. Each hash is a member. */
  endedApprovalTenants: () => "index.approvals.tenants",
  /** The number of requests that a caller has made in the current minute. The document belongs to no conversation, so the caller passes the shard. */
  rate: (service: string, shard: string, id: string) => keyOf(`rate.${service}`, shard, id),
  deadLetter: (letterId: string) => keyOf("dead", shardOf(letterId), letterId),
  /** An index of all dead letters, or of those of one queue, by the time when they were stored. Members are `indexedLetter`s. */
  deadLetters: (queue?: string) => (queue === undefined ? "index.dead" : `index.dead.${queue}`),
  /** An operator's request to replay a dead letter. */
  replayRequest: (letterId: string) => keyOf("replay", shardOf(letterId), letterId),
  /** An operator's note that nothing is left to do about a dead letter. No id of a dead letter has this form. */
  letterDismissal: (letterId: string) => keyOf("replay", shardOf(letterId), `dismissal.${letterId}`),
  /** An operator's request to remove a registration, under its member in the registry's index. */
  removal: (member: string) => keyOf("removal", HOME_SHARD, member),
  removals: () => "index.removals",
  /** A delivery to a target of webhooks, in the family of the service that sends it. */
  delivery: (service: string, deliveryId: string) => keyOf(`hook.${service}`, shardOf(deliveryId), deliveryId),
  /** The place of the message about an approval in the channel of a Slack target. It is in the family of approvals' deliveries. */
  slackMessage: (target: string, approvalId: string) => keyOf("hook.approvals", shardOf(approvalId), `slack:${target}:${approvalId}`),
  /** An index of the deliveries that were given up, by time. */
  failedDeliveries: (service: string) => `index.hooks.${service}`,
  runIndex: (principal: string) => `index.runs.${principal}`,
  /**
   * An index of the active runs of the principal with this hash, and of some ended ones. Its name has the prefix of the indexes of runs, so the right
   * to write those indexes covers this one.
   */
  openRuns: (hash: string) => `index.runs.~open.${hash}`,
  /**
   * An index of the conversations of the principal with this hash, by the time when they began. Its name also has the prefix of the indexes of runs.
   */
  conversationIndex: (hash: string) => `index.runs.~conversations.${hash}`,
} as const;

/**
 * Returns the name of a tenant's chain, or for null the name of the chain without a tenant. The prefix ensures that no tenant's chain has the name
 * `system`.
 */
export function chainName(tenant: string | null): string {
  return tenant === null ? "system" : `tenant.${tenant}`;
}

/** Returns the tenant in the name of a chain, or null for the chain without a tenant. */
export function tenantOfChain(name: string): string | null {
  return name.startsWith("tenant.") ? name.slice("tenant.".length) : null;
}
