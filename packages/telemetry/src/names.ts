/**
 * This file contains every telemetry name that leaves this system. The names follow the OpenTelemetry conventions for HTTP, messaging and GenAI. If
 * the conventions have no name for something, our name for it begins with `toolbus.`. If a convention renames something, only this file changes.
 */

/** The names of spans. An argument replaces a part that the conventions write in braces. */
export const spanNames = {
  http: (method: string, route: string | undefined) => (route === undefined ? method : `${method} ${route}`),
  /** The work on a person's message, from its acceptance on. The span of a conversation's first message is the parent of everything that follows. */
  conversation: "conversation",
  publish: (topic: string) => `publish ${topic}`,
  process: (topic: string) => `process ${topic}`,
  invokeAgent: (agent: string) => `invoke_agent ${agent}`,
  chat: (model: string) => `chat ${model}`,
  executeTool: (tool: string) => `execute_tool ${tool}`,
  /** A call of a tool before its worker takes calls. It belongs to no run. */
  goldenCall: (tool: string) => `golden_call ${tool}`,
} as const;

/** The names of events on spans. */
export const spanEvents = { toolCall: "toolbus.tool.call", retry: "toolbus.retry" } as const;

/** The names of attributes of spans, measurements and log records. */
export const attributeNames = {
  errorType: "error.type",
  serverAddress: "server.address",
  serverPort: "server.port",

  httpMethod: "http.request.method",
  httpRoute: "http.route",
  httpStatus: "http.response.status_code",
  urlPath: "url.path",
  urlScheme: "url.scheme",

  messagingSystem: "messaging.system",
  messagingOperationName: "messaging.operation.name",
  messagingOperationType: "messaging.operation.type",
  messagingDestination: "messaging.destination.name",
  messageId: "messaging.message.id",
  messageConversationId: "messaging.message.conversation_id",

  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  requestMaxTokens: "gen_ai.request.max_tokens",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  tokenType: "gen_ai.token.type",
  conversationId: "gen_ai.conversation.id",
  agentName: "gen_ai.agent.name",
  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolCallId: "gen_ai.tool.call.id",

  service: "toolbus.service",
  runId: "toolbus.run.id",
  profile: "toolbus.profile",
  /** The cost in millionths of a US dollar. */
  costMicroUsd: "toolbus.cost.micro_usd",
  /** The owner of a budget (`run`, `principal` or `tenant`), and its unit (`tokens`, `money` or `tool_calls`). */
  budgetOf: "toolbus.budget.of",
  budgetWhat: "toolbus.budget.what",
  round: "toolbus.round",
  epoch: "toolbus.epoch",
  /** The number of an attempt at a model call, from 1, and how long the call waited after the previous failure. */
  attempt: "toolbus.model.attempt",
  waitedMs: "toolbus.model.waited_ms",
  seed: "toolbus.seed",
  transcriptEntries: "toolbus.transcript.entries",
  /** The tokens of the model's window that the prompt and the reply used, and the free tokens. */
  windowUsed: "toolbus.context.window_used",
  windowLeft: "toolbus.context.window_left",
  contextStrategy: "toolbus.context.strategy",
  offeredTools: "toolbus.tools.offered",
  askedCalls: "toolbus.calls.asked",
  toolKind: "toolbus.tool.kind",
  toolVersion: "toolbus.tool.version",
  toolset: "toolbus.toolset",
  /** True for a call that a worker made before it took calls. */
  golden: "toolbus.golden",
  /** The number of model calls that the tool itself made. */
  toolModelCalls: "toolbus.tool.model.calls",
  /** The system behind a tool, as the tool's definition names it, and the owning team of a tool. */
  dependency: "toolbus.dependency",
  owner: "toolbus.owner",
  dispatch: "toolbus.dispatch",
  deliveries: "toolbus.deliveries",
  disposition: "toolbus.disposition",
  retryAfterMs: "toolbus.retry_after_ms",
  /** The status of a call or a run: `ok`, `denied`, `completed`, … */
  status: "toolbus.status",
  latencyMs: "toolbus.latency_ms",
  shard: "toolbus.shard",
  tier: "toolbus.tier",
  outcome: "toolbus.outcome",
  /** The reason for a security event, and whether the whole event or only its count was kept. */
  securityReason: "toolbus.security.reason",
  securityKept: "toolbus.security.kept",
  /** The method of the state store, such as `commit`. */
  stateOperation: "toolbus.state.operation",
  /** How a dead letter was replayed: `publish` or `call`. */
  replayBy: "toolbus.replay.by",
  webhookEvent: "toolbus.webhook.event",
  webhookTarget: "toolbus.webhook.target",
  /** The tags of the tool metrics, as requirement N-01 names them. */
  toolNameTag: "tool_name",
  statusTag: "status",
} as const;

/** A kind of measurement. Times are in milliseconds if the name is ours, and in seconds if a convention requires it. */
export interface Metric {
  readonly name: string;
  readonly kind: "histogram" | "counter" | "upDownCounter" | "gauge";
  readonly unit: string;
  readonly description: string;
  /** The upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

const MILLISECONDS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 300_000];
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const LONG_SECONDS = [1, 5, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 14_400, 43_200, 86_400];
const DOLLARS = [0.0001, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 100];
const SHARES = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1];
const ROUNDS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576];

export const metricNames = {
  toolDuration: histogram("toolbus.tool.invoke.duration", "ms", "How long a worker took for a tool call, by tool and status", MILLISECONDS),
  toolInvocations: counter("toolbus.tool.invocations", "{call}", "Tool calls that a worker answered, by tool and status"),
  toolCalls: counter("toolbus.tool.calls", "{call}", "Tool calls that the agent joined, whoever ended them, by tool and status"),
  goldenCalls: counter(
    "toolbus.golden.calls",
    "{call}",
    "Tools that a worker checked before it took calls, by tool and status: passed, not_called, or the code of the failure",
  ),
  toolModelCost: counter(
    "toolbus.tool.model.cost",
    "{USD}",
    "What the model calls of tools have cost in US dollars, as their workers say, by tool",
  ),
  toolSetAside: counter(
    "toolbus.tool.set_aside",
    "{tool}",
    "Tools that a provider has no form for, by provider, tool and toolset: when a worker registers one, and with every run that goes without it",
  ),
  toolSloP99: gauge("toolbus.tool.slo.p99", "ms", "The p99 latency that a tool's definition promises, by tool and owner"),
  toolSloSuccess: gauge(
    "toolbus.tool.slo.success_rate",
    "1",
    "The share of calls that succeed as a tool's definition promises, by tool and owner",
  ),
  dependencyBudget: gauge(
    "toolbus.dependency.budget.p99",
    "ms",
    "The p99 latency budget of a dependency in a tool's definition, by dependency, tool and owner",
  ),
  dependencyBreaker: gauge("toolbus.dependency.breaker", "1", "The breaker of a dependency: 0 closed, 1 half-open, 2 open"),
  dependencyCalls: counter(
    "toolbus.dependency.calls",
    "{call}",
    "Handlers that acted on a dependency, by outcome: works, fails, unknown, or refused and full for those that did not run",
  ),
  dependencyDuration: histogram(
    "toolbus.dependency.duration",
    "ms",
    "How long a handler that acts on a dependency took, by dependency, tool and outcome",
    MILLISECONDS,
  ),
  toolQuarantined: counter(
    "toolbus.tool.quarantined",
    "{tool}",
    "Tools whose definition is refused, by toolset: when a worker registers one, and with every run that goes without it",
  ),
  modelDuration: histogram("gen_ai.client.operation.duration", "s", "How long a model call took, by provider, model and error", SECONDS),
  modelTokens: histogram("gen_ai.client.token.usage", "{token}", "Tokens of a model call, by type", TOKENS),
  modelTokenClasses: counter(
    "toolbus.model.tokens",
    "{token}",
    "Tokens by class, each in one alone: input, cache_read, cache_write, output, reasoning; by provider, model and profile",
  ),
  runCost: histogram("toolbus.run.cost", "{USD}", "What a run has cost in US dollars when it ended, by profile and how it ended", DOLLARS),
  modelCost: counter("toolbus.model.cost", "{USD}", "What model calls have cost in US dollars, by provider, model and profile"),
  modelUnpriced: counter("toolbus.model.unpriced", "{call}", "Model calls whose price nobody knows, by provider, model and profile"),
  modelErrors: counter("toolbus.model.errors", "{error}", "Model calls that failed, by provider, model and error"),
  budgetRefusals: counter("toolbus.budget.refusals", "{refusal}", "Steps that a budget did not hold, by whose budget and of what"),
  budgetUse: histogram(
    "toolbus.budget.use",
    "1",
    "Share of a budget that was used when a step had settled, by whose budget and of what",
    SHARES,
  ),
  windowUse: histogram(
    "toolbus.context.use",
    "1",
    "Share of the model's window that prompt and reply took, by provider, model and profile",
    SHARES,
  ),
  modelRetries: counter("toolbus.model.retries", "{retry}", "Model calls that failed and were put off, by provider and error"),
  contextPrunings: counter(
    "toolbus.context.prunings",
    "{pruning}",
    "Conversations that were pruned to fit a model's window, by provider, model and strategy",
  ),
  processDuration: histogram("messaging.process.duration", "s", "How long a delivery was worked on, by topic", SECONDS),
  queueAge: histogram("toolbus.queue.age", "ms", "How old a message was when it was delivered for the first time, by topic", MILLISECONDS),
  publishAge: histogram(
    "toolbus.outbox.age",
    "ms",
    "How old a message was when its broker confirmed it, or when a try to publish it failed, by topic and error",
    MILLISECONDS,
  ),
  timerLag: histogram("toolbus.timers.lag", "ms", "How long a timer was due when a service took it, by service", MILLISECONDS),
  retries: counter("toolbus.retries", "{retry}", "Deliveries that were given back to come again, by topic"),
  httpDuration: histogram(
    "http.server.request.duration",
    "s",
    "How long an HTTP request took, streams included, by route and status",
    SECONDS,
  ),
  openStreams: {
    name: "toolbus.sse.streams",
    kind: "upDownCounter",
    unit: "{stream}",
    description: "Event streams that are open",
  },
  runsStarted: counter("toolbus.runs.started", "{run}", "Runs that were started, by profile"),
  runsEnded: counter("toolbus.runs.ended", "{run}", "Runs that ended, by how, and why where they failed"),
  runRounds: histogram(
    "toolbus.run.rounds",
    "{round}",
    "How many rounds with a model call a run completed until it ended, by profile and how it ended",
    ROUNDS,
  ),
  approvalsHeld: counter("toolbus.approvals.held", "{approval}", "Writes that wait for people, by tier"),
  approvalsDecided: counter("toolbus.approvals.decided", "{approval}", "Approvals that ended, by outcome and tier"),
  approvalsWait: histogram(
    "toolbus.approvals.wait",
    "s",
    "How long a write waited for people until its approval ended, by outcome and tier",
    LONG_SECONDS,
  ),
  deadLetters: counter("toolbus.dead_letters", "{letter}", "Dead letters that were kept, by queue"),
  deadLetterReplays: counter(
    "toolbus.dead_letters.replays",
    "{replay}",
    "Dead letters that were replayed, by queue and what the replay did",
  ),
  webhookAttempts: counter(
    "toolbus.webhooks.attempts",
    "{attempt}",
    "Attempts to tell a target of webhooks something, by event, target and outcome: delivered, failed, or given_up where it was the last",
  ),
  stateDuration: histogram("toolbus.state.duration", "ms", "How long the state store took, by operation and error", MILLISECONDS),
  storeLosses: counter("toolbus.state.losses", "{loss}", "Losses of acknowledged writes of the store that this process noticed, by shard"),
  clockSkew: {
    name: "toolbus.clock.skew",
    kind: "gauge",
    unit: "ms",
    description: "The clock of this process's machine minus that of the state store's server",
  },
  securityEvents: counter(
    "toolbus.security.events",
    "{event}",
    "What a service refused because it was not genuine or not allowed, by service, reason and whether the event or only its number was kept",
  ),
  approvalsPending: {
    name: "toolbus.approvals.pending",
    kind: "gauge",
    unit: "{approval}",
    description: "Writes that wait for people at this moment",
  },
  approvalsOldest: {
    name: "toolbus.approvals.oldest",
    kind: "gauge",
    unit: "s",
    description: "How long the oldest write that waits for people has waited, 0 if none waits",
  },
  ready: {
    name: "toolbus.ready",
    kind: "gauge",
    unit: "1",
    description: "1 while every service of this process accepts work, else 0",
  },
  busReady: {
    name: "toolbus.bus.ready",
    kind: "gauge",
    unit: "1",
    description: "1 while this process can use the bus, else 0",
  },
  stateReady: {
    name: "toolbus.state.ready",
    kind: "gauge",
    unit: "1",
    description: "1 while the state store accepts changes of this process, else 0",
  },
  policyUnusable: {
    name: "toolbus.approvals.policy.unusable",
    kind: "gauge",
    unit: "1",
    description: "1 while the policy file cannot be used and the policy before stays in use, else 0",
  },
} as const satisfies Record<string, Metric>;

function histogram(name: string, unit: string, description: string, buckets: readonly number[]): Metric {
  return { name, kind: "histogram", unit, description, buckets };
}

function gauge(name: string, unit: string, description: string): Metric {
  return { name, kind: "gauge", unit, description };
}

function counter(name: string, unit: string, description: string): Metric {
  return { name, kind: "counter", unit, description };
}

/** Returns the name of a metric on `/metrics`. The series of a histogram have `_bucket`, `_sum` and `_count` after this name. */
export function prometheusName({ name, kind }: Pick<Metric, "name" | "kind">): string {
  return `${name.replaceAll(".", "_")}${kind === "counter" ? "_total" : ""}`;
}
