/** A test that proves a requirement: its file from the root of the repository, and its name exactly as written in `it("…")`. */
export interface Proof {
  readonly file: string;
  readonly test: string;
}

const from =
  (file: string) =>
  (test: string): Proof => ({ file, test });

const judgeCalibration = from("packages/evals/src/judge/calibration.test.ts");
const askedJudge = from("packages/evals/src/judge/judge.test.ts");
const baselineComparison = from("packages/evals/src/baseline/compare-baseline.test.ts");
const evaluationReports = from("packages/evals/src/report/report.test.ts");
const evalScores = from("packages/evals/src/scoring/scores-of.test.ts");
const evalGate = from("tests/e2e/eval-gate.test.ts");
const evalRun = from("tests/e2e/eval-run.test.ts");
const goldenTraces = from("tests/e2e/eval-providers.test.ts");
const evalCommands = from("apps/cli/src/evaluations/eval-commands.test.ts");
const replays = from("packages/testing/src/replays/replays.test.ts");
const recordedRuns = from("packages/testing/src/replays/recorded-runs.test.ts");
const variants = from("packages/testing/src/replays/variants.test.ts");
const cliReplay = from("tests/e2e/cli-replay.test.ts");
const auditRoutes = from("services/approvals/src/routes/audit-routes.test.ts");
const copyRecords = from("services/approvals/src/record/copy-records.test.ts");
const evidence = from("packages/grants/src/verify-evidence.test.ts");
const insights = from("apps/cli/src/approvals/insights.test.ts");
const auditExport = from("packages/grants/src/verify-audit.test.ts");
const cliAudit = from("tests/e2e/cli-audit.test.ts");
const ordersWorker = from("examples/orders-worker/src/orders.test.ts");
const ordersDefinitions = from("examples/orders-worker/src/definitions.test.ts");
const approvalList = from("services/approvals/src/routes/approval-list.test.ts");
const forgetEnded = from("services/approvals/src/decisions/forget-ended.test.ts");
const approvalEntry = from("apps/cli/src/approvals/approval-entry.test.ts");
const watchApprovals = from("apps/cli/src/approvals/watch-approvals.test.ts");
const cliInbox = from("tests/e2e/cli-inbox.test.ts");
const agentService = from("services/agent/src/service.test.ts");
const agentMessages = from("services/agent/src/outgoing/messages.test.ts");
const writesInOrder = from("services/agent/src/transitions/writes-in-order.test.ts");
const resourceTurn = from("packages/tool-kit/src/writes/resource-turn.test.ts");
const callRecord = from("services/agent/src/transitions/call-record.test.ts");
const resultIndex = from("services/agent/src/memory/result-index.test.ts");
const modelFacts = from("packages/models/src/facts/model-facts.test.ts");
const stampedSystem = from("tests/e2e/registry-stamp.test.ts");
const registryStamp = from("packages/contracts/src/registry-stamp.test.ts");
const stampObstacle = from("packages/tool-kit/src/rollout/registry-stamp.test.ts");
const goldenWorker = from("tests/e2e/golden-calls.test.ts");
const goldenCalls = from("packages/tool-kit/src/rollout/golden-calls.test.ts");
const apartSystem = from("tests/e2e/apart/apart.test.ts");
const strictObjects = from("tests/kubernetes/strict-objects.test.ts");
const connectedObjects = from("tests/kubernetes/connected-objects.test.ts");
const scaledReplicas = from("packages/tool-kit/src/registry/replicas.test.ts");
const unservedCalls = from("services/agent/src/transitions/unserved.test.ts");
const eitherBroker = from("tests/e2e/either-broker.test.ts");
const transitions = from("services/agent/src/transitions/transitions.test.ts");
const limits = from("services/agent/src/transitions/end.test.ts");
const decidedWrites = from("services/agent/src/transitions/decided-writes.test.ts");
const cancelling = from("services/agent/src/transitions/cancel.test.ts");
const redispatch = from("services/agent/src/transitions/redispatch.test.ts");
const seed = from("services/agent/src/transitions/seed.test.ts");
const callRights = from("services/agent/src/transitions/call-rights.test.ts");
const toolRights = from("tests/e2e/tool-rights.test.ts");
const inbox = from("services/agent/src/incoming/inbox.test.ts");
const report = from("services/agent/src/investigation/report.test.ts");
const mcpConfig = from("services/tool-executor/src/toolsets/mcp/mcp-config.test.ts");
const toolsetGuides = from("packages/tool-kit/src/registry/guides.test.ts");
const shippedGuides = from("tests/shipped-guides.test.ts");
const guides = from("services/tool-executor/src/toolsets/guides/guides-toolset.test.ts");
const openRouter = from("examples/openrouter-mcp/src/openrouter-mcp.test.ts");
const mcpServer = from("services/tool-executor/src/toolsets/mcp/mcp-server.test.ts");
const startMcp = from("services/tool-executor/src/toolsets/mcp/start-mcp.test.ts");
const mcpBridge = from("tests/e2e/mcp-bridge.test.ts");
const mcpServers = from("tests/e2e/mcp-servers.test.ts");
const mcpKilled = from("tests/e2e/mcp-killed.test.ts");
const mcpRegister = from("tests/e2e/mcp-register.test.ts");
const mcpReplicas = from("services/tool-executor/src/toolsets/mcp/lease/replicas.test.ts");
const mcpSandbox = from("services/tool-executor/src/toolsets/mcp/sandbox.test.ts");
const registerServers = from("services/tool-executor/src/toolsets/mcp/registered/register-servers.test.ts");
const announceServers = from("services/tool-executor/src/toolsets/mcp/announce-servers.test.ts");
const knownServices = from("services/tool-executor/src/toolsets/mcp/services/known-services.test.ts");
const mcpCallByName = from("tests/e2e/mcp-call-by-name.test.ts");
const callsByName = from("services/agent/src/calls-by-name.test.ts");
const namedServer = from("packages/tool-kit/src/calls/named-server.test.ts");
const rankItems = from("packages/models/src/search/rank.test.ts");
const worker = from("packages/tool-kit/src/worker.test.ts");
const localRound = from("services/agent/src/incoming/local-round.test.ts");
const runRead = from("packages/tool-kit/src/calls/run-read.test.ts");
const largeResult = from("packages/tool-kit/src/calls/large-result.test.ts");
const largeResults = from("services/agent/src/large-results.test.ts");
const chunkText = from("services/agent/src/memory/chunk-text.test.ts");
const runWrite = from("packages/tool-kit/src/writes/run-write.test.ts");
const failedCalls = from("packages/tool-kit/src/calls/failed-calls.test.ts");
const writeCrash = from("packages/tool-kit/src/writes/write-crash.test.ts");
const writeGrant = from("packages/tool-kit/src/writes/write-grant.test.ts");
const writeRace = from("packages/tool-kit/src/writes/write-race.test.ts");
const registry = from("packages/tool-kit/src/registry/registry.test.ts");
const nameOwners = from("packages/tool-kit/src/registry/name-owners.test.ts");
const defineTool = from("packages/tool-kit/src/tool/define-tool.test.ts");
const resultMessage = from("packages/tool-kit/src/calls/result-message.test.ts");
const pairing = from("packages/models/src/pairing.test.ts");
const requests = from("services/approvals/src/requests/requests.test.ts");
const decisions = from("services/approvals/src/decisions/decisions.test.ts");
const judgedByPolicy = from("services/approvals/src/policy/judge-policy.test.ts");
const policyDecisions = from("services/approvals/src/decisions/policy-decisions.test.ts");
const watchedPolicy = from("services/approvals/src/policy-file/watched-policy.test.ts");
const policyPage = from("tests/policy-page.test.ts");
const batch = from("services/approvals/src/routes/batch-route.test.ts");
const edits = from("services/approvals/src/decisions/edits.test.ts");
const editedWrite = from("services/agent/src/transitions/edited-write.test.ts");
const cliEdit = from("tests/e2e/cli-edit.test.ts");
const approvalRoutes = from("services/approvals/src/routes/routes.test.ts");
const approvalPage = from("services/approvals/src/page/page.test.ts");
const oidcPage = from("services/approvals/src/page/oidc.test.ts");
const approvalPageInBrowser = from("tests/e2e/approval-page.test.ts");
const hookRoutes = from("services/approvals/src/routes/hook-routes.test.ts");
const webhooksEndToEnd = from("tests/e2e/webhooks.test.ts");
const reportedApprovals = from("services/approvals/src/answers/reported-approvals.test.ts");
const reportedRuns = from("services/agent/src/reported-runs.test.ts");
const webhooks = from("packages/runtime/src/webhooks/webhooks.test.ts");
const webhookSignature = from("packages/runtime/src/webhooks/webhook-signature.test.ts");
const emailChannel = from("services/approvals/src/channels/email/email-channel.test.ts");
const toldByEmail = from("services/approvals/src/channels/email/told-by-email.test.ts");
const toldInSlack = from("services/approvals/src/channels/slack/told-in-slack.test.ts");
const slackInteractions = from("services/approvals/src/channels/slack/slack-interactions.test.ts");
const slackSignature = from("services/approvals/src/channels/slack/slack-signature.test.ts");
const slackEndToEnd = from("tests/e2e/slack.test.ts");
const expiry = from("services/approvals/src/requests/expiry.test.ts");
const approval = from("services/approvals/src/machine/approval.test.ts");
const grantMutations = from("packages/grants/src/grant-mutations.test.ts");
const releaseToolset = from("services/tool-executor/src/toolsets/release/release-toolset.test.ts");
const executor = from("services/tool-executor/src/service.test.ts");
const releaseApi = from("examples/release-api/src/release-api.test.ts");
const releaseMain = from("examples/release-api/src/main.test.ts");
const loadRelease = from("examples/release-api/src/load-release.test.ts");
const evidenceRoutes = from("examples/release-api/src/evidence-routes.test.ts");
const severalRepositories = from("examples/release-api/src/several-repositories.test.ts");
const hostileRepository = from("examples/release-api/src/hostile-repository.test.ts");
const releaseEvidence = from("services/tool-executor/src/toolsets/release/release-evidence.test.ts");
const golden = from("packages/models/src/offline/golden-releases.test.ts");
const steps = from("packages/models/src/offline/next-step.test.ts");
const apart = from("tests/e2e/apart/apart.test.ts");
const traceApart = from("tests/e2e/apart/trace.test.ts");
const amqpSpans = from("tests/servers/amqp-spans.test.ts");
const startTelemetry = from("packages/telemetry/src/start-telemetry.test.ts");
const architecture = from("tests/architecture.test.ts");
const investigations = from("services/gateway/src/routes/investigations.test.ts");
const entryTimer = from("services/gateway/src/entry-timer.test.ts");
const stream = from("services/gateway/src/stream/stream-run.test.ts");
const errorCodes = from("packages/contracts/src/error-codes.test.ts");
const toolResults = from("packages/contracts/src/result.test.ts");
const bodyPins = from("packages/contracts/src/body-pins.test.ts");
const start = from("tests/e2e/start.test.ts");
const attack = from("tests/e2e/attack.test.ts");
const kill = from("tests/e2e/kill.test.ts");
const conversationTransitions = from("services/agent/src/transitions/conversation.test.ts");
const conversations = from("services/agent/src/conversations.test.ts");
const ask = from("services/agent/src/transitions/ask.test.ts");
const advance = from("services/agent/src/steps/advance.test.ts");
const toolOffer = from("services/agent/src/tool-offer.test.ts");
const toolOffers = from("services/agent/src/tool-offers.test.ts");
const offeredChoice = from("services/agent/src/transitions/offered-choice.test.ts");
const listedServices = from("services/tool-executor/src/toolsets/mcp/services/listed-services.test.ts");
const registryOfARun = from("services/agent/src/registry-of-a-run.test.ts");
const catalogue = from("services/agent/src/catalogue.test.ts");
const profiles = from("services/agent/src/profiles/load-profiles.test.ts");
const observeRun = from("services/agent/src/observe-run.test.ts");
const modelMetrics = from("services/agent/src/model-metrics.test.ts");
const agentBudgets = from("services/agent/src/budget/budgets.test.ts");
const budgetRaces = from("services/agent/src/budget/budget-races.test.ts");
const completeWithin = from("services/agent/src/steps/complete-within.test.ts");
const redisBudgets = from("tests/servers/redis-budgets.test.ts");
const tracedModel = from("services/agent/src/traced-model.test.ts");
const toolVersions = from("packages/tool-kit/src/registry/tool-versions.test.ts");
const toolFlags = from("packages/tool-kit/src/registry/tool-flags.test.ts");
const switchedOff = from("packages/tool-kit/src/registry/switched-off.test.ts");
const lint = from("packages/tool-kit/src/lint/lint-tool.test.ts");
const draft07 = from("packages/tool-kit/src/lint/draft-07.test.ts");
const publicTool = from("packages/contracts/src/public-tool.test.ts");
const tracedBus = from("packages/runtime/src/traced-bus.test.ts");
const goldenAlerts = from("packages/models/src/offline/alert/golden-alerts.test.ts");
const pins = from("services/approvals/src/pins/pins.test.ts");
const tools = from("services/gateway/src/routes/tools.test.ts");
const conversation = from("tests/e2e/conversation.test.ts");
const cancel = from("tests/e2e/cancel.test.ts");
const toolbusAsMcpServer = from("tests/e2e/mcp-server.test.ts");
const mcpRoute = from("services/gateway/src/routes/mcp.test.ts");
const directCall = from("services/agent/src/direct-call/direct-call.test.ts");
const offlineChat = from("tests/e2e/offline-chat.test.ts");
const telemetry = from("tests/e2e/telemetry.test.ts");
const observability = from("tests/observability.test.ts");
const cutStream = from("services/gateway/src/stream/cut-stream.test.ts");
const postedStream = from("services/gateway/src/stream/posted-stream.test.ts");
const gatewayMatrix = from("services/gateway/src/routes/matrix.test.ts");
const alertTrigger = from("services/gateway/src/routes/alert-trigger.test.ts");
const releaseTrigger = from("services/gateway/src/routes/release-trigger.test.ts");
const awaiting = from("services/gateway/src/routes/awaiting.test.ts");
const conversationRoutes = from("services/gateway/src/routes/conversations.test.ts");
const sendMessage = from("services/gateway/src/routes/send-message.test.ts");
const decisionRequests = from("services/approvals/src/decisions/decision-requests.test.ts");
const openapi = from("tests/openapi.test.ts");
const streamResume = from("tests/e2e/stream-resume.test.ts");
const browser = from("tests/e2e/browser.test.ts");
const streamLoad = from("tests/e2e/stream-load.test.ts");
const toolProtection = from("packages/contracts/src/tool-protection.test.ts");
const breakers = from("packages/tool-kit/src/protection/breaker.test.ts");
const protectedCalls = from("packages/tool-kit/src/protection/protected-calls.test.ts");
const reportedBreaker = from("packages/tool-kit/src/protection/reported-breaker.test.ts");
const dependencyChaos = from("tests/e2e/dependency-chaos.test.ts");
const dependencyGauges = from("tests/e2e/dependency-gauges.test.ts");
const connection = from("services/gateway/src/stream/connection.test.ts");

const plansOfApprovals = from("services/approvals/src/requests/plans.test.ts");
const ordersDemo = from("tests/e2e/orders-demo.test.ts");
const planWrite = from("packages/tool-kit/src/writes/plan-write.test.ts");
const injectedContent = from("tests/fuzz/injected-content.test.ts");
const models = from("tests/e2e/models.test.ts");
const modelFaults = from("tests/e2e/model-faults.test.ts");
const modelStreams = from("tests/e2e/model-streams.test.ts");
const connectModel = from("packages/models/src/connect/connect-model.test.ts");
const chooseProvider = from("packages/models/src/connect/choose-provider.test.ts");
const conformance = from("packages/models/src/conformance/index.ts");
const wireTranscripts = from("packages/models/src/conformance/transcripts.ts");
const wireTools = from("packages/models/src/conformance/tool-choice.ts");
const wireEndings = from("packages/models/src/conformance/endings.ts");
const wireFaults = from("packages/models/src/conformance/faults.ts");
const anthropicMessages = from("packages/models/src/anthropic/messages.test.ts");
const anthropicRequest = from("packages/models/src/anthropic/request.test.ts");
const bedrockMessages = from("packages/models/src/bedrock/messages.test.ts");
const bedrockRequest = from("packages/models/src/bedrock/request.test.ts");
const commandModel = from("packages/models/src/cli/cli-model.test.ts");
const vendorIds = from("packages/models/src/adapter/vendor-id.test.ts");
const settingsOfModels = from("services/agent/src/model-settings.test.ts");
const toolSchemas = from("tests/tool-schemas.test.ts");
const chatRequest = from("packages/models/src/openai/chat-request.test.ts");
const vendorErrors = from("packages/models/src/openai/vendor-error.test.ts");
const statusErrors = from("packages/models/src/adapter/status-error.test.ts");
const corpus = from("packages/models/src/schema/corpus.test.ts");
const corpusOnTheWire = from("packages/models/src/schema/wire.test.ts");
const soundness = from("packages/models/src/schema/soundness.test.ts");
const modelStep = from("services/agent/src/steps/model-step.test.ts");
const modelRetry = from("services/agent/src/transitions/model-retry.test.ts");
const importance = from("services/agent/src/context/importance.test.ts");
const contextFor = from("services/agent/src/context/context-for.test.ts");
const planContext = from("services/agent/src/context/plan-context.test.ts");
const toolChoice = from("services/agent/src/transitions/tool-choice.test.ts");

/** The tests that prove each requirement. To mark a row as met, add one line here and run `npm run docs`. */
export const met: Readonly<Record<string, readonly Proof[]>> = {
  "B-01": [
    agentService("seeds, thinks, asks for its write, waits for the decision, and ends with a report"),
    architecture("has third-party clients only in their homes"),
    architecture("connects the agent only to bus, store and model: its own code makes no connection"),
  ],
  "B-02": [
    bodyPins("%s has exactly its fields"),
    agentMessages("has in its body the call, the tool, its arguments as text and the session, and everything else as attributes"),
  ],
  "B-03": [resultMessage("has exactly the fields of the contract in its body")],
  "B-04": [resultMessage("has exactly the fields of the contract in its body")],
  "B-05": [
    resultMessage("goes to the agent that the call names, and to the default one if it names none"),
    runRead("answers to agents only, whatever the message names"),
    agentMessages("asks for its answer on the queue of the agent that sends it"),
  ],
  "B-06": [transitions("joins each once, and the last one makes the run ready with results in index order")],
  "B-07": [
    callsByName("is a call of that tool, with its name, version, hash and server, and the events say how the model asked for it"),
    namedServer("may be left out"),
    namedServer("refuses the call if only one of its two names is right"),
  ],
  "B-10": [
    investigations("stores who asks, what for, the index and the timer that repeats the wake in one commit"),
    entryTimer("repeats the wake, each under its own id, until the run has a document, and is gone then"),
  ],
  "M-01": [
    startMcp("registers each listed tool as a high write of its source, whatever the server says about it"),
    announceServers("are announced when the bridge is told to, and again to an agent that asks"),
    mcpCallByName("are announced, need the same approval as under their own name, and run under it"),
    mcpServers("are listed, each tool with its server as its source"),
  ],
  "M-10": [mcpBridge("are refused until somebody enables the definition, wait for a person, and write once")],
  "M-12": [
    mcpServers("answer: %s"),
    mcpKilled("leaves the outcome of the write unknown, once, and does not repeat it; the read is repeated and answers"),
    mcpReplicas("runs once, on the replica that also takes the calls, and on another replica after that one stops"),
    mcpReplicas("runs on each replica if its entry says perReplica, unless calls may register other servers"),
  ],
  "LV-08": [
    mcpServer("lists, answers, reports its progress (server-everything of the MCP project)"),
    mcpServers("show the progress of a call, and take its cancel: %s"),
  ],
  "LV-36": [
    mcpServer("that ends in the middle of a call loses that call, keeps its list, refuses at once, and comes back"),
    mcpServers("fail the call in which they are killed, and come back: %s"),
  ],
  "M-03": [
    mcpConfig("is accepted in its usual form"),
    mcpConfig("says how its servers run: in which sandbox, and on which replicas"),
    mcpServer("gets the environment that it is given and nothing else"),
    mcpSandbox("reads the paths that are bound, and writes only to those that are bound to be written"),
  ],
  "M-07": [
    registerServers("connects a server, whose tools are high writes of its source, on every replica and after a restart"),
    mcpRegister("is started only after two people have approved it, and its tools then wait for an operator"),
  ],
  "M-08": [registerServers("ends a registered server and removes its tools on every replica, whatever the case of the name")],
  "U-01": [toolsetGuides("is published with the registration: name, summary of one line and the document"), shippedGuides("ships a guide")],
  "U-02": [guides("are listed with name and summary, of all toolsets that have one")],
  "U-03": [guides("are returned by name, and an unknown name lists the known ones")],
  "U-04": [
    guides("is returned in a later run of the tenant as untrusted content, with who saved it, in which run and when"),
    guides("is not visible to another tenant, whose skill may have the same name"),
  ],
  "O-01": [
    openRouter("offers six tools that say that they only read"),
    openRouter("speaks stdio, with the protocol version of a client in the mode %s"),
  ],
  "O-02": [
    openRouter("answers each call with the JSON of the REST API, gets it by GET only, and uses the key that the route needs"),
    openRouter("sends no other method than GET from any line of its source"),
  ],
  "M-02": [
    registryOfARun("asks every MCP bridge for its servers, and listens to the answer"),
    announceServers("are announced when the bridge is told to, and again to an agent that asks"),
  ],
  "M-04": [knownServices("read the registry at each call")],
  "M-05": [
    knownServices("give a server's own words only in the details, which are untrusted"),
    knownServices("are found by their names without regard to case, and so are their tools"),
  ],
  "M-06": [
    callsByName("is a call of that tool, with its name, version, hash and server, and the events say how the model asked for it"),
    callsByName("needs a grant if that tool is a write: it is requested for exactly that tool, and nothing is sent before"),
    mcpCallByName("are announced, need the same approval as under their own name, and run under it"),
  ],
  "M-09": [startMcp("registers its own tools, which list the servers, when a server has listed its tools")],
  "S-02": [rankItems("has the values of a table that was worked out by hand"), rankItems("counts two adjacent words twice as much as one")],
  "S-05": [knownServices("read the registry at each call")],
  "S-07": [rankItems("puts the item with the rarest words first"), rankItems("has the values of a table that was worked out by hand")],
  "B-13": [
    worker("runs a write through the same pipeline, with grant and ledger, and puts nothing on the bus"),
    worker("answers message for message like a worker on the bus"),
    localRound("have their results in the commit of the next turn"),
  ],
  "B-14": [
    eitherBroker("investigates a release to its filed report, with the broker's address as the only difference"),
    apart("investigate a release to its filed report, and lack no right"),
    apart("continue when the broker is restarted in the middle of a run"),
  ],
  "B-15": [
    {
      file: "packages/models/src/openai/client.test.ts",
      test: "goes to the configured address, with the configured key, whatever the SDK finds in the environment, and nothing is logged",
    },
    connectModel("returns the model of %s, without a connection"),
    architecture("has third-party clients only in their homes"),
    startTelemetry(
      "that nobody asked for loads nothing of OpenTelemetry; on request it loads sdk-node, and the instrumentation of amqplib for RabbitMQ",
    ),
    amqpSpans("has one producer, one client and one consumer span, each beneath the previous one, however many messages wait"),
  ],
  "G-01": [
    defineTool("finds, adds and removes tools, and refuses a second one of the same name"),
    registry("keeps what was registered, with definition and hash"),
  ],
  "G-02": [
    registry("refuses a name of another toolset, and registers nothing of the toolset that asked"),
    registry("does not treat a second replica, a second version or a changed definition as duplicates"),
    registry("has one owner in the end when two toolsets race for a name"),
    nameOwners("belongs to the pin's toolset, whatever others register under it, and whether or not its own tool is listed"),
    nameOwners("that several toolsets register can be used by none of them, until only one of them has it"),
  ],
  "G-03": [
    registry("has each tool's name, description, parameters and source: that of its author, or the toolset"),
    registry("keeps what was registered, with definition and hash"),
  ],
  "G-04": [
    executor("registers the configured toolsets, and stops"),
    { file: "services/agent/src/no-tool-names.test.ts", test: "names no tool outside its profiles" },
  ],
  "G-05": [
    inbox("starts the run with the tools that the registry holds for its profile"),
    inbox("leaves out tools that are switched off here, for this run only from its start"),
    profiles("investigate alerts without a single write"),
    toolOffer("are offered even if they have no workers, but not while a living worker says that they cannot be used"),
  ],
  "G-08": [defineTool("fills in defaults by its kind")],
  "G-09": [
    executor("name their owner, their SLO, their limits, and the API as the one dependency that they share"),
    toolProtection("is part of its definition, and no model sees it"),
    defineTool("fills in defaults by its kind"),
    dependencyGauges("show what the definitions promise, the calls by outcome, and a breaker that opens"),
  ],
  "G-15": [
    transitions("answers an unknown tool and wrong arguments without sending anything"),
    runRead("of an unknown tool is answered with the existing names"),
    callsByName("is refused if the profile leaves out the tool that calls by name"),
  ],
  "G-17": [
    defineTool("accepts plain functions as its bodies and returns their values unchanged"),
    releaseToolset("ask the API of their factory, also next to those of another"),
  ],
  "X-01": [worker("registers its tools, announces them and answers calls")],
  "X-02": [
    runRead("times out with a retryable result even if the tool ignores its signal"),
    runRead("gives neither the words of an unknown exception nor its stack nor its causes: they may quote a row"),
    runRead("of an unknown tool is answered with the existing names"),
    runRead("with wrong arguments is answered with every field that is wrong"),
  ],
  "X-03": [runRead("with wrong arguments is answered with every field that is wrong")],
  "X-04": [
    protectedCalls("refuse arguments that are too large as invalid, and no handler runs"),
    protectedCalls("are replaced by those of the operator"),
    protectedCalls("refuse a read at once if too many began in a minute, say when the next may begin, and leave other tools alone"),
    protectedCalls("return a write to the queue until it may begin, because people may have approved it"),
  ],
  "X-05": [defineTool("fills in defaults by its kind"), runRead("times out with a retryable result even if the tool ignores its signal")],
  "X-06": [
    transitions("sends reads at once, at most eight, and answers the others with why they did not run"),
    transitions("ask for all grants at once, and run one after another after the reads"),
  ],
  "X-07": [
    resourceTurn("run one after another, on any replica"),
    resourceTurn("wait for the call of a dead worker, which continues first"),
    writesInOrder("wait for the one before them, which is still running, although they have their grant"),
    transitions("ask for all grants at once, and run one after another after the reads"),
  ],
  "X-08": [
    protectedCalls("has as many calls at once as allowed, the next ones are told so, and other tools go on"),
    breakers("opens when five of the last ten calls have failed"),
    protectedCalls("is not asked any more, each call is answered at once with its name and the time, and other tools go on"),
    protectedCalls("ends at once without an effect, with a signed result in the ledger, and not as an unknown outcome"),
    reportedBreaker("says so in the registry at once and not with its next heartbeat, only for the tools of the dependency"),
    dependencyChaos("is left alone, its runs are told at once, other toolsets go on, and it is used again by itself when it works"),
  ],
  "X-09": [
    runWrite("gives the stored result when its grant is used again, and does not run again"),
    runWrite("is repeated with the same key and with back-off, and is unknown after five attempts"),
    writeRace("racing in four processes have exactly one effect and one result"),
  ],
  "X-10": [
    runRead("answers JSON as JSON text and text unchanged"),
    largeResult("is truncated between characters if it is over the limit, and says how much is left out"),
    runRead("gives neither the words of an unknown exception nor its stack nor its causes: they may quote a row"),
    runRead("gives only the words of an HTML page, as a result and as a reason"),
  ],
  "X-12": [
    callRecord("is its id, name, arguments and time, and its result with the record of how it was run"),
    runRead("records whose result it is, its content, whether it worked, and when and how long it ran"),
  ],
  "X-13": [pairing("refuses %s and names the id")],
  "X-14": [
    {
      file: "packages/contracts/src/result.test.ts",
      test: "gives the model what helps it act: when to retry, and which fields were wrong",
    },
    releaseToolset("says when to retry"),
  ],
  "X-15": [
    toolRights("is not offered to %s, and a model that still calls it is refused and reaches no worker"),
    callRights("is answered as refused by the policy and sent to nobody, if the requester %s"),
    callRights("is not sent again"),
  ],
  "C-01": [
    largeResults("goes into working memory in chunks, which the model reads by their keys and answers from"),
    largeResults("goes into working memory as soon as it exceeds the model's limit: 64,000 characters by default"),
    modelFacts("gives a model 64,000 characters of one result, 32,000 if its window is small, or the table's own value"),
  ],
  "C-02": [
    chunkText("are cut before the heading of the lowest level, wherever in reach it is"),
    chunkText("are cut after a blank line if there is no heading, and after a line if there is neither"),
  ],
  "C-03": [
    chunkText("are never planned under 20,000 characters, and the last one gets as many if possible"),
    largeResults("is asked for by a later run of the conversation while it is kept, and is gone after that with a word on what to do"),
  ],
  "C-05": [
    largeResults("goes into working memory in chunks, which the model reads by their keys and answers from"),
    resultIndex("has an outline of its headings by their levels, with the chunk that each begins in"),
    resultIndex("gives the model a small table, however many chunks there are, and the key of the outline"),
  ],
  "C-06": [
    largeResults("goes into working memory in chunks, which the model reads by their keys and answers from"),
    largeResults("is not read from another conversation, nor under an invalid key"),
  ],
  "C-07": [largeResults("is truncated with a notice if %s")],
  "C-08": [
    largeResults("goes into working memory as soon as it exceeds the model's limit: 64,000 characters by default"),
    largeResults("follows the profile's own limit, and two of one tool in one turn have separate keys"),
    modelFacts("gives a model 64,000 characters of one result, 32,000 if its window is small, or the table's own value"),
  ],
  "A-01": [
    requests("is held for people when the tier is high, with the effect from the pinned definition"),
    decidedWrites("are not sent before the decision, whatever else is done, and an approved one takes its turn"),
  ],
  "A-02": [
    approvalRoutes("shows everything that an approver needs to decide, from the pin and the origin"),
    approvalRoutes("shows no credential, neither among the arguments nor in the effect, and grants the unchanged arguments"),
    decidedWrites("are not sent before the decision, whatever else is done, and an approved one takes its turn"),
  ],
  "A-04": [
    hookRoutes("decides for the approver whom the operator's file names; grant and record name the system"),
    hookRoutes(
      "gives a repeat of its id the first answer, also after a restart and later decisions, and refuses the id for another request",
    ),
    hookRoutes("changes nothing for a request that is not freshly signed by its source over these bytes"),
    hookRoutes(
      "refuses unknown people, decisions that the file does not allow, and decisions that the rules of approvals forbid, with one sentence each",
    ),
    webhooksEndToEnd("completes although every process is killed right after it was held, and right after it was decided"),
    apart("investigate a release to its filed report, and lack no right"),
  ],
  "A-05": [
    decisions("to approve grants the write, and the worker's own check agrees"),
    writeCrash("after the effect: the target honours the key, so the effect stays one"),
    agentService("seeds, thinks, asks for its write, waits for the decision, and ends with a report"),
  ],
  "A-06": [
    transitions("are skipped after a denied one, and their requests are withdrawn"),
    agentService("tells the person that nothing was filed when the approver says no"),
  ],
  "A-07": [
    agentService("asks again with the reviewer's changes when they ask for a revision, and files only that"),
    decidedWrites("but want revised are asked again when the model has reworked them, in the reviewer's words"),
    steps("adds the reviewer's words as a finding and files again"),
  ],
  "A-08": [
    edits("grants the edited ones with their own hash, and the worker's own check agrees"),
    editedWrite("is sent with exactly those, and its row has their hash and effect"),
    cliEdit("is executed with exactly those, and the approval, the run and its events say what was changed"),
  ],
  "A-09": [
    expiry("expires by the store's clock, notifies the agent once and leaves no timer"),
    approval("does not expire before its time, and is not decided after it"),
    decidedWrites("because it was %s is reported to the model with what to do and with its approval"),
  ],
  "A-10": [
    approval("has a timer and a place in the list exactly while it is pending"),
    approval("is over once it is %s: nothing moves it"),
    decisions("to %s ends it as %s without a grant, and the comment reaches the agent"),
    expiry("that was pending ends as cancelled, once, and can no longer be decided"),
    awaiting("says which approval it waits for"),
    decidedWrites("because it was %s is reported to the model with what to do and with its approval"),
    transitions("stop the run's clock while people decide"),
  ],
  "A-11": [
    requests("is granted at once by policy when the tier is low, and the grant holds for exactly this call"),
    requests("is granted at once and audited when the tier is medium, without its arguments"),
    requests("is held for people when the tier is high, with the effect from the pinned definition"),
    decisions("on a critical write needs a ticket and two distinct approvers"),
  ],
  "A-12": [
    judgedByPolicy("raises a refund above 50 to high, with the reason that approvers read"),
    judgedByPolicy(
      "the tier is never below the pinned one, the number of approvers never below the tier's and the policy's, and the time within bounds",
    ),
    policyDecisions("that raises its tier waits for people, who see the reason, the rule and the version"),
    policyPage("judges as its table says"),
    ordersDefinitions("ask for more people when a refund is above 50 EUR, and above 1,000 EUR"),
    ordersWorker("refunds nothing above 50 EUR that only policy has granted, and nothing above 1,000 EUR that one person approved"),
  ],
  "A-13": [
    decisions("by the requester, or by the principal behind a trigger, is 403 self_approval, whatever scopes they hold"),
    attack("an approver's key opens nothing at the gateway, nor a requester's at approvals"),
    oidcPage("do not include deciding about a write that the same person asked for under another name"),
  ],
  "A-14": [
    decisions("with a used token and another decision is 409 token_used"),
    decisions("with another approver's token, another approval's or a foreign one is 403"),
  ],
  "A-15": [
    requests("never counts `approved: true` where the schema lets it through: it is an argument like any other"),
    attack("cannot approve by an argument: the schema knows no such field"),
  ],
  "A-16": [
    approvalRoutes("is read and decided by its own links, which carry the call's id, and shows the outcome at the same link later"),
    decisions("repeated with the same token gets the same answer, also after later commits and in a new process"),
    requests("is answered with the old outcome after %s, by a new process too"),
    approvalRoutes("of one that ended says how, to everybody in the tenant"),
  ],
  "A-17": [
    reportedApprovals("is reported when it is held, when half of its time is over, and when it has ended, as the API shows it"),
    webhooks("report what was committed, signed so that the package standardwebhooks accepts it by either of two secrets"),
    webhooksEndToEnd("completes although every process is killed right after it was held, and right after it was decided"),
  ],
  "A-18": [
    judgedByPolicy("asks people about every write with HITL_MODE=required, and about the tools of WRITE_TOOLS"),
    policyDecisions("waits for people with %s=%s, however low its tier"),
    watchedPolicy("gets stricter by HITL_MODE and WRITE_TOOLS, also without a file"),
    attack("$what gets no write and no answer, and is recorded"),
  ],
  "A-19": [
    auditRoutes("lists what happened to each write, chained and up to a checkpoint that the published keys verify"),
    auditRoutes("shows no tenant the records of another one, and everybody's operator the events without a tenant"),
    {
      file: "tests/servers/redis-audit-chain.test.ts",
      test: "has each record once, in one chain, although both of two replicas copy and one is killed",
    },
  ],
  "A-20": [
    toldInSlack("shows a held write as a message with buttons, and its outcome without buttons, whoever decided where"),
    toldInSlack("gets a reminder as a reply, and sees that a write has expired"),
    toldByEmail("get a mail when a write is held, when half of its time is over, and when it has ended"),
    emailChannel("is sent only over TLS to a server whose certificate is trusted, unless the operator decides otherwise"),
  ],
  "LV-26": [
    slackInteractions("press a button, read the card in a dialog and decide there, as the approvers that they are"),
    slackInteractions(
      "decide nothing if the file does not name them, if they asked for the write, or if the write is not their tenant's: one sentence says so",
    ),
    slackInteractions("decide nothing with a request that Slack did not sign freshly over these bytes"),
    slackSignature("is accepted as in the example that Slack published, by either of two secrets"),
    slackEndToEnd("shows its outcome although every process is killed before its message was recorded, and right after it was decided"),
  ],
  "E-01": [
    errorCodes("are exactly these, each with class, wire code, name, status and whether to retry"),
    failedCalls("$what fails under one code in the four vocabularies of errors"),
    transitions("answers an unknown tool and wrong arguments without sending anything"),
    runRead("with wrong arguments is answered with every field that is wrong"),
  ],
  "E-02": [
    failedCalls("$what fails under one code in the four vocabularies of errors"),
    toolResults("of %s has the reason %s"),
    callRights("is answered as refused by the policy and sent to nobody, if the requester %s"),
    transitions("are skipped after a denied one, and their requests are withdrawn"),
  ],
  "E-03": [
    failedCalls("$what fails under one code in the four vocabularies of errors"),
    errorCodes("are retryable exactly when their class is transient"),
    releaseToolset("is unavailable and may be repeated when the API fails, breaks off, or sends nonsense or too much"),
  ],
  "E-04": [
    failedCalls("$what fails under one code in the four vocabularies of errors"),
    errorCodes("never call an unknown outcome or a denial retryable"),
    runRead("gives neither the words of an unknown exception nor its stack nor its causes: they may quote a row"),
  ],
  "E-05": [
    failedCalls("$what fails under one code in the four vocabularies of errors"),
    failedCalls("whose worker sends only the wire code is read by the same table"),
    resultMessage("has exactly the fields of the contract in its body"),
  ],
  "E-06": [
    failedCalls("$what fails under one code in the four vocabularies of errors"),
    failedCalls("that fails in its tool throws an error named after its kind"),
  ],
  "E-08": [
    failedCalls("$what fails under one code in the four vocabularies of errors"),
    failedCalls("that succeeds has the status ok and no error, in the answer and in the log"),
  ],
  "E-09": [
    modelStep("reaches the model as the tool's message, with class and text, and the model decides what to do"),
    steps("is reported with the error and the remedy"),
  ],
  "L-01": [agentService("seeds, thinks, asks for its write, waits for the decision, and ends with a report")],
  "L-02": [
    transitions("end a run by rounds, by active time, by loops and by poison, each with its own code"),
    transitions("end a read that nobody answers when the active time is used up"),
    advance("by taking longer than the run's time is stopped, and the run ends for the time it used"),
    profiles("are there without a setting, each with its own limits"),
  ],
  "L-03": [
    limits("of rounds are each profile's own: the seed round and the last allowed one do not end a run"),
    profiles("are there without a setting, each with its own limits"),
  ],
  "L-04": [
    seed("are in the transcript as a turn and its results before the model is asked, under both ids"),
    seed("are left out when the input lacks a value, when the run lacks the tool, and when the same call is made already"),
    wireTranscripts("sends its own turns back, and continues from those of another provider in mid-conversation"),
  ],
  "L-05": [
    seed("are in the transcript as a turn and its results before the model is asked, under both ids"),
    seed("have ids that no later run of the conversation uses again"),
    report("names both ids of every call as evidence, with the hash of what it said"),
    seed("have separate ids when a tool is seeded twice, and none that another tool or run can have"),
  ],
  "L-10": [
    transitions("takes over when the lease has expired, or when its owner died before the store was opened"),
    conversations("that waits for the person goes on at another agent, which has what is stored and nothing else"),
    conversations("moves between replicas that each know all of it"),
  ],
  "L-12": [
    agentService("seeds, thinks, asks for its write, waits for the decision, and ends with a report"),
    offlineChat("investigates an alert: what its labels name is looked up first, and the report has cause, severity and evidence"),
    report("rests on what was looked up, not on the conclusion itself"),
    goldenAlerts("$what"),
    investigations("starts the profile for alerts, states the task in a sentence, and gives the model the alert as data"),
  ],
  "Z-01": [releaseApi("answers a known release"), loadRelease("joins history, test results and metrics under the version")],
  "Z-02": [
    releaseApi("files a report that can be read again"),
    releaseToolset("sends the report with the call's id as key"),
    releaseToolset("has the definition that approvers read"),
  ],
  "Z-03": [
    golden("golden high: failures, an error rate of two in a hundred, payments and authentication"),
    golden("golden medium: a minor failure and a slightly slower service"),
    golden("golden low: all tests pass, metrics are clean, the change is small"),
  ],
  "Z-04": [
    evidenceRoutes("are the facts of the release, with its two ends"),
    evidenceRoutes("join tests, coverage and CI results, and say if CI tested another commit"),
    evidenceRoutes("compare the release with those before it, of the same series only"),
    severalRepositories("serves the releases of each side by side, and says which projects exist"),
    hostileRepository("with thousands of commits, huge files and control characters gets bounded pages of clean text"),
    releaseEvidence("$tool gives the API's answer"),
    releaseEvidence("$tool says in one sentence that an older API has no such evidence, and is not tried again"),
  ],
  "Z-05": [releaseApi("answers a known release"), releaseMain("serves the recorded release if there is no history, and says so")],
  "Z-06": [
    ordersDefinitions("pass the lint without a warning"),
    ordersDefinitions("keep the limits of an order id, a refund, a reason and a search"),
    ordersWorker("refunds once, with the call's id as key, however often the call is sent"),
  ],
  "H-01": [
    architecture("declare nothing that the table does not allow"),
    architecture("imports only what its package declares"),
    gatewayMatrix("are exactly those of the table"),
    gatewayMatrix("answer everybody as the table says: $method $url"),
  ],
  "H-04": [
    investigations("answers 202 with the run and where to follow it"),
    sendMessage("starts a run of the conversation, and notifies the agent at once"),
    postedStream("names the run at once, then sends all its events: $body"),
    stream("sends past and new events, with ids, and ends with the run"),
    openapi("keeps the rules of OpenAPI 3.1, and each of its examples its schema"),
    openapi("has exactly these operations, with these answers of yes"),
  ],
  "LV-01": [
    kill("ends every run with exactly one filed report and a complete stream"),
    transitions("takes over when the lease has expired, or when its owner died before the store was opened"),
    advance("whose process stops gives the run back unchanged"),
    conversations("moves between replicas that each know all of it"),
    redispatch("is sent again unchanged and uncounted when the process that held the bus is dead"),
    apart("continue when a worker is killed in the middle of a read"),
    apart("continue when an agent is killed in the middle of a model call"),
    apart("continue when Redis is restarted in the middle of a run"),
  ],
  "LV-02": [
    stream("gives exactly the rest to a client that reconnects, at every position, also after the end"),
    kill("ends every run with exactly one filed report and a complete stream"),
    cutStream("after each thing continues at another gateway over the same store, after this one has stopped"),
    streamResume(
      "continues after each of its events with Last-Event-ID when the process is back: every durable event once, in order, none changed",
    ),
    connection("after the run's end is told that it need not reconnect"),
    browser("opened again continues where the page says that it is"),
  ],
  "LV-03": [
    stream("shows several viewers the same, and one that leaves stops nothing"),
    postedStream("that goes away stops nothing: the run is followed at its own address"),
    streamLoad("get every event although others are slow or never read, which cost bounded memory and are disconnected"),
  ],
  "LV-31": [
    start("prints two addresses, three keys and a command that starts an investigation"),
    offlineChat("runs a write that a message names, when a person has approved it"),
  ],
  "LV-16": [
    edits("grants the edited ones with their own hash, and the worker's own check agrees"),
    edits("needs that tier's approvers and its ticket"),
    edits("makes the first approval void, which the view says, and asks again"),
    edits("refuses a decision on the older card with 409, and the token stays usable"),
    editedWrite("is reported to viewers, in the run's record and to the model, with the old and the new values"),
    editedWrite("is dropped, and nothing is sent: %s"),
    cliEdit("is executed with exactly those, and the approval, the run and its events say what was changed"),
  ],
  "LV-17": [
    batch("makes each decision with its own token, and answers each in order"),
    batch("refuses high writes beside others, and decides one that is alone"),
    batch("gives each refused decision its own problem, and makes the others"),
  ],
  "LV-20": [
    toolRights("is not offered to %s, and a model that still calls it is refused and reaches no worker"),
    toolRights("is offered to %s, and works"),
    inbox("stores with the run what its requester may use"),
  ],
  "LV-40": [
    investigations("gives a repeat the run of the first request, and marks it"),
    investigations("refuses another body under the same key, at once and after the run began"),
    decisions("repeated with the same token gets the same answer, also after later commits and in a new process"),
    conversationRoutes("gives a repeat of its key the first one's conversation, and refuses another body under it"),
    sendMessage("gets the earlier answer when its key is repeated, however busy the conversation is"),
    awaiting("gives a repeat of its key the first answer, also if the run has continued, and refuses another text under it"),
    awaiting("gets the first answer when it is repeated, however the run has ended by then"),
    decisionRequests("is refused when its key is reused with $what, and the first decision stands"),
    {
      file: "services/approvals/src/eras/eras.test.ts",
      test: "gets the first answer again for a repeated key, and a refusal for another body under it",
    },
    {
      file: "services/gateway/src/stream/stream-ticket.test.ts",
      test: "replaces the one for the same Idempotency-Key, and no other",
    },
  ],
  "BEST-1": [
    grantMutations("is not granted when the attacker signs it, or when the right key signed something else"),
    writeGrant("is dropped if the grant belongs to another call"),
    attack("$what gets no write and no answer, and is recorded"),
    attack("gets the first result again for a replay, and files nothing more"),
    { file: "tests/e2e/redteam.test.ts", test: "ends every attack as expected, and no write happens without permission" },
  ],
  "LV-14": [
    ask("is reported, has a timer, and goes to no worker"),
    ask("gets the person's words as data, once"),
    ask("ends as unanswered after a day, and not when its timer is early"),
    conversation("asks the person, keeps the question and the waiting messages across a restart, and continues with the answer"),
    awaiting("accepts one answer to a question, the first of several that arrive at the same moment"),
  ],
  "LV-12": [
    toolbusAsMcpServer("lists the tools that the key may call, with what they do"),
    toolbusAsMcpServer("answers a read, in a run that asks no model"),
    toolbusAsMcpServer("answers that a write waits, and gives its result when a person has approved it"),
    mcpRoute("answers with a handle when there is no result in time, which only the caller can use"),
    mcpRoute("starts no run for a tool that does not exist or that the key may not use"),
    directCall("makes exactly this call with exactly these arguments, and ends without asking a model or using tokens"),
    directCall("begins like a run that has read untrusted content, because nobody knows what the client has read"),
  ],
  "LV-05": [
    conversationTransitions("waits by default, in the order in which the messages were accepted, in whatever order they reach the agent"),
    conversationTransitions("that must not wait ends at once and says why, but only if there is something to wait for"),
    conversationTransitions("cancels the active run and takes its place, in one commit"),
    conversationTransitions("starts only when the outcome of a sent write is known"),
    conversationTransitions("does not cancel later messages"),
    conversation("lets a message that interrupts cancel the active run, and start in its place"),
    sendMessage("is refused when the queue is full, and accepted when there is room again"),
  ],
  "LV-04": [
    cancel("reaches the tool that runs: its signal aborts, and its call has its one result"),
    cancel("drops the write that nobody has decided on, and nobody can decide on it any more"),
    cancelling("gives every open call its result, but waits for a write that was sent"),
  ],
  "L-07": [
    advance("stops when it keeps asking for the same calls"),
    advance("stops when no call of five rounds succeeded, although each was different"),
    modelMetrics("that went round in circles is that, and a warning tells the operator which one and why"),
  ],
  "E-12": [
    advance("stops when the same call keeps failing in the same way"),
    advance("stops when no call of five rounds succeeded, although each was different"),
  ],
  "L-11": [
    wireEndings("keep their meaning: %s"),
    advance("that pauses is kept, and the model gets it back to continue"),
    advance("with a tool finish reason and no call is asked for again"),
    advance("that stays empty ends the run as failed, never as an empty answer"),
    advance("that is cut off is kept as far as it goes, marked, and none of its calls is run"),
  ],
  "E-07": [
    wireFaults("ends %s as it should, with nothing of a reply"),
    modelFaults("by %s ends in a visible retry, or in an error that names the cause"),
  ],
  "E-10": [
    wireFaults("names %s in the error"),
    vendorErrors("of %s becomes an error that a caller can act on (%#)"),
    statusErrors("points to the tools first if the vendor names none"),
  ],
  "E-11": [
    modelFaults("by %s ends in a visible retry, or in an error that names the cause"),
    statusErrors("names what to set"),
    advance("permanently ends the run at once, with its own code and message"),
    advance("repeatedly ends the run with the reason of the last failure, not with one of ours"),
  ],
  "G-07": [
    registryOfARun("is given only name, description and parameters of a tool, under its plain name"),
    publicTool("omits everything that begins with x-, at every depth, except names and data of the tool itself"),
  ],
  "G-10": [
    toolVersions("are run as the message names them, the preferred one if it names none"),
    toolVersions("are answered by the worker that serves them, even if two workers of one toolset serve one each"),
    toolOffer("is the one that the profile pins, in whatever order its rules are"),
    pins("grant versions side by side, the newest by number, in whatever order they were registered"),
    tools("says for each version whether it is the one that new runs get, and shows the notice of a deprecated one"),
  ],
  "G-11": [
    evalGate("is a variant that is compared on the same scenarios, and blocks its rollout if it is worse"),
    baselineComparison("compares a named variant with the first one of the baseline, and no other"),
  ],
  "G-12": [
    toolFlags("come from the file's own section before its default, and from the start options before both"),
    toolFlags("switch a tool off only if its flag says so"),
    switchedOff("begins no write, and no other worker runs the refused call"),
    switchedOff("refuses a read as a matter of policy and says which flag it was"),
    toolOffers("leave out what a flag of this environment switches off"),
  ],
  "LV-33": [
    connectedObjects("RabbitMQ: KEDA counts queues that exist, with the login of the service that it scales"),
    connectedObjects("NATS: KEDA counts streams and consumers that exist"),
    scaledReplicas("is not a fault if its registration allows scaling to zero, until a deployment withdraws that"),
    unservedCalls("waits for a toolset that may be scaled to zero"),
    runRead("is handed back when the worker stops"),
    runWrite("is completed when the stop comes after it was sent"),
  ],
  "G-13": [
    goldenWorker(
      "is unready with one sentence, takes no calls, and becomes ready when the calls pass, all without a run and without an effect",
    ),
    goldenCalls("run a read and a compute with the example, as a call would"),
    goldenCalls("of a write run only plan and prepare, and never the effect"),
  ],
  "G-14": [
    toolOffer("cause a warning above 12, and another from 15 on"),
    toolOffer("are chosen by the run's message, and keep their order"),
    offeredChoice("records in its first event what was left out, and which service fits the message"),
  ],
  "G-16": [
    stampedSystem("starts where the stamp is that of its tools and limits, and names what differs where it is not, until the file agrees"),
    stampedSystem("ends a process with one sentence and the exit code 1 where the file is missing or is not a stamp"),
    registryStamp("has the version of the registry, the limits, the writes of a high tier and the hash of each definition"),
    stampObstacle("lets a worker of the stamped tools begin, and keeps every other one back with the difference and the remedy"),
    stampObstacle("lets an agent begin when its limits are the stamped ones and the registry has the stamped tools"),
  ],
  "S-06": [
    offeredChoice("puts the service before the model with the message, and people see the message without it"),
    toolOffer("leave out the worst matches, and the offer says which, the best match first, and which services fit best"),
  ],
  "S-08": [listedServices("is searched, and a change of it counts at the next search")],
  "G-18": [
    defineTool("refuses an unworkable definition with one sentence that names the tool"),
    defineTool("refuses a tool that was not made by defineTool and cannot work"),
    registryOfARun("is given only name, description and parameters of a tool, under its plain name"),
  ],
  "G-19": [
    lint("doubts that %s only reads"),
    lint('doubts that a tool described as "%s" only reads, whatever its name is'),
    executor("pass the lint without an error or a warning"),
  ],
  "G-20": [
    lint("refuses %s, which is not in snake case"),
    lint("a parameter that chooses between jobs"),
    lint("%s without a limit"),
    lint("warns when it lacks %s"),
    executor("pass the lint without an error or a warning"),
  ],
  "V-11": [
    lint("%s at the root"),
    lint("%s as a parameter"),
    lint("the keyword %s"),
    lint("an unknown dialect"),
    draft07("makes a tool like any other"),
    draft07("is refused with what to write instead: %s"),
  ],
  "LV-32": [
    catalogue("stay the same when its tool is registered again, changed, under the same version"),
    catalogue("stay the same when newer versions come, and when its own is unregistered"),
    catalogue("are each run's own if two began with different ones, and one reader serves both"),
  ],
  "B-12": [
    traceApart("is one trace of four processes, from the HTTP request to the worker and back, with the parents that caused each"),
    telemetry("is one trace, from the HTTP request across the bus into the worker and back, with the parents that caused each"),
    telemetry("has every span below another one that was sent, in every trace"),
  ],
  "N-09": [
    observability("are about metrics that the services have"),
    { file: "tests/e2e/apart/prometheus.test.ts", test: "gives every query of every dashboard a figure after some work" },
  ],
  "F-07": [observability("are accepted by promtool, and fire and stay quiet in each case (skipped without promtool)")],
  "F-08": [
    observability(
      "of a jump in refused arguments say to roll back the registry and not the model, and of time-outs to look at the dependency",
    ),
  ],
  "N-01": [
    telemetry("has %s in %s, by its tags"),
    telemetry("counts open streams up and down, and calls once each"),
    telemetry("has the milliseconds of each tool call"),
  ],
  "N-02": [
    telemetry("is one trace, from the HTTP request across the bus into the worker and back, with the parents that caused each"),
    telemetry("%s has its kind and the required attributes"),
    tracedBus("has a producer span around the publish and below it a consumer span around the delivery, each of its own service"),
    tracedBus("records a delivery that is given back, and one whose handler fails, by its code only"),
    {
      file: "services/agent/src/steps/step-span.test.ts",
      test: "says which attempt at the model call it is, and how long it was postponed",
    },
  ],
  "N-06": [
    telemetry("has one file that contains every span of its trace"),
    telemetry("is one trace, whichever request brought a message, and links to the later requests"),
  ],
  "N-07": [
    telemetry("has one line of the tool audit per call, with its trace"),
    observeRun(
      "also records what never reached a worker: an unknown tool, broken arguments, a denied write, one that was skipped, and a cancel",
    ),
    { file: "packages/telemetry/src/tool-audit.test.ts", test: "shows that arguments are equal, only under this deployment's key" },
  ],
  "N-08": [
    observeRun("records a call that a worker answered, with what it was, how it ended and in which trace"),
    observeRun("joins a call with what the models used and cost that its tool called itself, in the log and in its span"),
    runRead("records what the models that it called itself used, and what is known of their cost"),
  ],
  "L-06": [
    tracedModel("logs at debug, for each round, every message that the model gets, with a length in place of each text"),
    tracedModel("shows no content, in any span or line"),
  ],
  "H-06": [
    awaiting("says which approval it waits for"),
    awaiting("waits for an approval first, and lists everything that it waits for"),
    offlineChat("runs a write that a message names, when a person has approved it"),
  ],
  "L-08": [
    offlineChat("chats: it lists the tools, calls one, and reports the outcome"),
    conversations("is offered a tool that is registered during a run from its next run on"),
    conversationRoutes("reports messages, usage, calls and the trace"),
    conversationRoutes("gives all of %i messages, page by page, the newest page first"),
    conversationRoutes("returns as many as requested"),
    conversationRoutes(
      "begins a new one for a caller who already has one: it is empty, its profile is the same, and the other keeps its messages",
    ),
  ],
  "B-17": [
    apartSystem("investigate a release to its filed report, and lack no right"),
    strictObjects(
      "kustomize accepts each overlay, and each object has only fields and values that the API knows (skipped without kubectl)",
    ),
    connectedObjects(
      "runs one Deployment for each service and each toolset, as a user without rights, with an account of its own that has no token",
    ),
    connectedObjects("selects the pods that each Service, budget, scaler and Deployment means"),
    observability("mounts files that exist, on loopback only, with every dashboard and every service that Prometheus reads"),
  ],
  "F-09": [
    connectedObjects(
      "runs one Deployment for each service and each toolset, as a user without rights, with an account of its own that has no token",
    ),
    connectedObjects("gives each service only the Secret of its own login, and the command makes each Secret and key that a pod names"),
    connectedObjects(
      "denies all traffic by default, lets only the gateway and approvals take traffic from anywhere, and only workers reach their targets",
    ),
  ],
  "F-10": [modelMetrics("that ends is what it has cost, by profile and how it ended, and that it has ended so")],
  "F-06": [goldenTraces("fail for a model that files without end, so that they can gate")],
  "Q-01": [
    evalGate("are one path of three commands, which finds that an agent got worse, and where"),
    evalCommands("saves a result, finds it again as the last one, and exits with 2 only for a drop over 5 percent and only if asked"),
  ],
  "Q-02": [
    evalScores("pass a call with its arguments, its round and its status"),
    evalScores("give half for the right tool with other arguments, too late or with another status, and nothing for no call"),
    evalScores("pass an expected severity, and give half for a neighbour"),
    evalScores("finds a figure that nothing shows"),
    evalScores("passes a few repeats after an error, and not more"),
  ],
  "Q-06": [
    goldenTraces("hold for the offline rules"),
    goldenTraces("hold over the wire protocol of $name"),
    goldenTraces("fail for a model that files without end, so that they can gate"),
  ],
  "Q-03": [
    judgeCalibration("equals the agreement, kappa and interval of a table that was worked out by hand"),
    judgeCalibration("not with a kappa below 0.6, and then its scores are advisory"),
    judgeCalibration("are an error and never a pass if the judge answers nonsense, and the other criteria are still scored"),
    askedJudge("cannot end the record with %s"),
  ],
  "Q-04": [
    evalRun("have releases of high, medium and low risk, edge cases and errors, of each at least three that are assessed as expected"),
    evalRun("pass without a model: %s"),
  ],
  "Q-05": [
    evaluationReports("has the summary, the scenarios and the regression analysis of requirement Q-05, with the figures by hand"),
    evaluationReports("lists regressions and improvements against a baseline"),
    baselineComparison("warns of a drop of 5.1 percent, with the figures"),
    baselineComparison("does not warn if a score of 1 becomes %f"),
  ],
  "Q-07": [
    evalCommands("saves a result, finds it again as the last one, and exits with 2 only for a drop over 5 percent and only if asked"),
    evalCommands("exits with 1 if it must gate and %s, because such a result says nothing"),
  ],
  "LV-27": [
    approvalPage("lists what waits in the person's tenant, with age, tier, requester and effect"),
    approvalPageInBrowser("leads from the address through sign-in, list and card to an approval by two people"),
    approvalList("lists what has ended, newest first, and all, with what waits first"),
    approvalList("is filtered by time, tool, requester and the beginning of the id"),
    approvalList("shows each tenant only its own, also if the index names those of others"),
    forgetEnded("lose an approval when it is no longer kept, in every shard and list, and keep the others"),
    approvalEntry("has its age, tier, requester, tool, time left and who has approved, and the whole effect at any width"),
    watchApprovals("reports each new approval and each end once, in their order, however many pages and looks it takes"),
    cliInbox("lists what waits with its whole effect, and afterwards how it ended; the beginning of an id is enough"),
  ],
  "LV-22": [
    budgetRaces("never pass a ceiling, lose no settlement and count a step that died as reserved, in whatever order the store works"),
    redisBudgets("holds if two processes draw on it at once, and opens for what is released"),
    completeWithin("is not made when the store cannot say whether it fits"),
    agentBudgets("is drawn on before the call with the most that it may use, and afterwards with what it used"),
    agentBudgets("is that of all runs of a principal, and says when it opens again"),
    agentBudgets("allows as many calls of a turn as are left, and the model still answers after that"),
    agentBudgets("is the root's for a sub-run"),
    agentBudgets("that refuses a step leaves the others undrawn"),
    agentBudgets("reserves the most that the call may cost, and settles what it cost"),
  ],
  "LV-41": [
    webhookSignature("by two secrets is accepted by the package standardwebhooks with either, and with no other"),
    webhooks("are sent again by the next process if theirs is killed between the commit and the delivery, or in an attempt"),
    webhooks(
      "that are not accepted are sent again by the ladder under the same id, then given up in a list from which an operator sends them again",
    ),
    webhooks("are not sent to this machine unless the operator allows it, and follow no redirect"),
    reportedApprovals("is reported when it is held, when half of its time is over, and when it has ended, as the API shows it"),
    reportedRuns("is reported with every call, writes that happened first, each with its outcome, its approvers and its effect"),
    reportedRuns("is recorded by the very commit that ends it, and by no other; a sub-run is reported with its root"),
  ],
  "LV-42": [cutStream("shows the run's usage so far wherever it changes, and a number in every durable event")],
  "LV-43": [
    alertTrigger("starts an investigation of each firing alert on behalf of the trigger, and reports the outcome for each"),
    alertTrigger("starts nothing for a repeated alert, whatever its annotations now say, and names its run"),
    alertTrigger("starts another run for an alert that $what"),
    alertTrigger("are answered so that Alertmanager retries while their principal has the maximum of active runs; then they start"),
    alertTrigger("are the rest after the store became unavailable; the same message starts them, and nothing twice"),
    releaseTrigger("starts the investigation of a release on behalf of the trigger"),
    releaseTrigger("has one run for a release, whatever the next note says"),
    gatewayMatrix("answer everybody as the table says: $method $url"),
    {
      file: "tests/e2e/cli-people-keys.test.ts",
      test: "lets an Alertmanager start investigations with its own key, and do nothing else, until that key is revoked",
    },
  ],
  "V-01": [
    connectModel("asks its vendor's server, with the key and the address of its settings: %s"),
    connectModel("returns the model of %s, without a connection"),
  ],
  "V-02": [
    connectModel("asks its vendor's server, with the key and the address of its settings: %s"),
    commandModel("gets the whole prompt, with its tools, as one document"),
  ],
  "V-03": [
    conformance("never estimates fewer tokens for a longer prompt"),
    conformance("streams text in pieces if it says so"),
    modelStep("reach the model: how many at a time, how random, and no more tokens than the model gives"),
    anthropicRequest("has no temperature, whatever is requested"),
    anthropicRequest("leaves a blank system prompt out, and marks any other for the cache, together with the tools before it"),
    bedrockRequest("has a temperature only if the model accepts one"),
  ],
  "V-04": [
    wireTools("arrive exactly as they were compiled, whatever their schemas are"),
    anthropicRequest("sends exactly the compiler's form of a tool"),
    bedrockRequest("sends exactly the compiler's form of a tool"),
    wireTools("go with name, description and schema, and come back with their own names"),
  ],
  "V-05": [
    chatRequest("streams with usage, has the system text first and the tools as functions"),
    chatRequest("has the results in the order of their calls, one message each"),
  ],
  "V-06": [
    anthropicRequest("sends exactly the compiler's form of a tool"),
    anthropicMessages("read back are the transcript, with calls and results paired, for any transcript"),
    anthropicMessages("send it back unchanged, except for a blank text"),
    wireTranscripts("sends thinking back with its signature, and leaves out what another model thought"),
  ],
  "V-07": [
    bedrockRequest("sends exactly the compiler's form of a tool"),
    bedrockMessages("read back are the transcript, with calls and results paired, for any transcript"),
    bedrockMessages("send a success as JSON if it is an object, and as text if it is not or would lose something"),
    bedrockMessages("send a failure as text, marked as one"),
    wireTranscripts("accepts any transcript that is paired, with every call, result and text in its place"),
  ],
  "V-08": [
    wireTools("is auto by default"),
    wireTools("tells the vendor that nothing may be called"),
    wireTools("tells the vendor that something must be called"),
    wireTools("tells the vendor which tool must be called"),
    toolChoice("with the profile's %s, after %i model calls and with the tools %j is %s"),
    toolChoice(
      "gets the effective tool choice, and the log says once which model, how many tools, what choice and which seeds were left out",
    ),
    tracedModel("logs at debug for each request how many tools it offers, and the choice %s"),
  ],
  "V-09": [
    wireTools("tells the vendor if one call per turn is enough"),
    anthropicRequest("limits every choice except none to one call"),
    chatRequest("mentions parallel calls only to forbid them, and only with tools"),
    modelStep("reach the model: how many at a time, how random, and no more tokens than the model gives"),
    connectModel("uses the configured values if a request has none, and sends nothing if there are none"),
  ],
  "V-10": [corpus("is compiled for %s in a form that follows its rules")],
  "V-12": [
    toolSchemas("is among those that are checked here"),
    toolSchemas("%s: compiles for every provider, and is set aside for none"),
    corpusOnTheWire("fails no request when it is compiled, and many when it is sent unchanged"),
  ],
  "V-13": [
    toolSchemas("is checked by the rules of %s, and these by a server of its kind if there is one"),
    toolSchemas("is passed on to Anthropic, OpenAI and a command line without any loss but that of the arguments of another tool"),
  ],
  "V-14": [
    wireTools("arrive exactly as they were compiled, whatever their schemas are"),
    toolSchemas("%s: compiles for every provider, and is set aside for none"),
  ],
  "V-16": [wireTranscripts("accepts any transcript that is paired, with every call, result and text in its place")],
  "V-17": [
    chatRequest("has a foreign turn in this vendor's form, with other ids only if they break the rule"),
    vendorIds("stays unchanged if the vendor accepts it"),
  ],
  "V-18": [
    wireTranscripts("sends its own turns back, and continues from those of another provider in mid-conversation"),
    chatRequest("has an own turn unchanged, with its long id, and rebuilds a changed one"),
    advance("that pauses is kept, and the model gets it back to continue"),
    models("have the same transcript in neutral form, whichever model answered"),
  ],
  "V-19": [
    conformance("refuses a transcript with an unanswered call before it emits anything"),
    conformance("refuses a result of a call that the previous turn did not make, before it emits anything"),
    pairing("refuses %s and names the id"),
  ],
  "V-20": [
    modelStep("is offered no tools, and answers with text"),
    connectModel("reports the capabilities of a model of %s: tools and pictures by the tables, and whether text comes in pieces"),
  ],
  "V-21": [models("run through $name")],
  "V-22": [
    chooseProvider("is the named one, whatever else is set"),
    settingsOfModels("are read from their variables"),
    connectModel("returns the model of %s, without a connection"),
    connectModel("asks its vendor's server, with the key and the address of its settings: %s"),
  ],
  "V-23": [
    {
      file: "services/agent/src/no-vendor-names.test.ts",
      test: "names no model vendor, and no term of a vendor's protocol, outside its settings",
    },
    architecture("has third-party clients only in their homes"),
    wireTranscripts("accepts any transcript that is paired, with every call, result and text in its place"),
  ],
  "K-01": [
    modelStep("is shown as far as it fits, its newest part, and the turn says what was left out"),
    contextFor("leaves out the oldest, down to three fifths, and then nothing more for a while"),
  ],
  "K-02": [
    modelStep("is summarised first when the profile says so, in a step of its own, and the turn stands on the summary"),
    contextFor("has the model summarise the removed part, and shows the summary in its place"),
  ],
  "K-03": [
    contextFor("leaves out large old lookups first, and keeps messages, writes and failures"),
    importance("is most for a write, then a message of the person, a failure, an answer, and least for a lookup"),
  ],
  "K-04": [
    contextFor("separates no call from its result, keeps the order, and fits, or says that it cannot"),
    planContext("is pruned by the strategy of the profile, or else of the process"),
  ],
  "K-05": [
    planContext("has room for the prompt, the tools, the longest reply, a free tenth, and then the conversation"),
    planContext("is used as far as the profile allows, in tokens and in messages"),
  ],
  "C-09": [
    largeResults("that the provider still finds too long is truncated at once for the model, and the log keeps it"),
    modelStep("that its provider still finds too long is halved and sent again at once, once"),
  ],
  "R-01": [
    modelRetry("is drawn from up to 1 s, twice as much after each failure, and never over 60 s"),
    modelRetry("follows two failures, but not a third one, nor a permanent one"),
    advance("is recorded in the run's events, each failure with its attempt and the wait that follows it"),
    advance("is left alone until its wait is over, whoever wakes the run"),
    modelStreams("is withdrawn when the stream breaks: a retry, a reset, and the text from its beginning"),
    modelFaults("three times in a row ends the run with the last cause, after two retries and three calls"),
  ],
  "R-02": [
    wireFaults("ends %s as it should, with nothing of a reply"),
    statusErrors("with status %s gets its class"),
    modelFaults("by %s ends in a visible retry, or in an error that names the cause"),
  ],
  "R-03": [
    {
      file: "services/agent/src/steps/step-span.test.ts",
      test: "says which attempt at the model call it is, and how long it was postponed",
    },
    advance("is recorded in the run's events, each failure with its attempt and the wait that follows it"),
  ],
  "R-04": [wireFaults("ends %s as it should, with nothing of a reply")],
  "N-04": [
    modelMetrics("count every token in one class, and the cost in dollars, by provider, model and profile"),
    modelMetrics("include the share of the model's window that it used"),
    modelMetrics("count each failure by provider and type"),
    modelMetrics("whose model call is postponed count one retry, by provider and error"),
    telemetry("has %s in %s, by its tags"),
  ],
  "BEST-4": [
    plansOfApprovals("goes back to people with both plans, and the earlier approval does not count any more"),
    plansOfApprovals("waits for its worker's plan, and its grant covers exactly the plan that was approved"),
    planWrite("is sent back if the target has changed, with the new plan for approvals"),
    planWrite("never runs under the old grant again, even if the target changes back, and runs under a grant for the new plan"),
    ordersDemo("shows every tier, a denial and three lost answers, and each effect is in the shop's database once"),
  ],
  "BEST-5": [
    injectedContent("asks a person for every write of 66 injected pages, although policy alone grants these writes"),
    injectedContent("makes the same writes without a person if the pages are declared as internal, so the pages do ask for writes"),
    injectedContent("is not trusted again after a trusted result, or in a later run of the conversation"),
  ],
  "BEST-6": [
    replays("is byte-equal for runs of every kind, with faults, kills and several agents"),
    recordedRuns("is one of many kinds, so that a changed transition is found"),
    recordedRuns("is made again by this build, byte by byte: $run.runId"),
    variants("finds a changed description in the turns that were offered it, and only there"),
    variants("finds another prompt in every turn, and another profile where its limits end the run"),
    variants("asks another model, gives it the recorded results of equal calls, and says where it diverges"),
    cliReplay("plays an investigation again, byte-equal, in a process without network and without the right to write"),
    cliReplay("makes a run a scenario, begins the suite, and says what was masked"),
  ],
  "BEST-7": [
    { file: "services/gateway/src/routes/tools.test.ts", test: "says for which providers a tool is set aside, and what is lost for which" },
    corpus("has at least 150 schemas, each with a unique name"),
    corpusOnTheWire("fails no request when it is compiled, and many when it is sent unchanged"),
    soundness("is accepted by the tool's own schema after it is restored, or a loss names the place"),
    corpus("is set aside for %s only if a schema is invalid, with the place and a remedy"),
  ],
  "BEST-8": [
    evidence("names a broken link if one of many bytes of a file is flipped, in each of many files"),
    evidence("names a broken link for every single byte of a file, whichever bit is flipped"),
    evidence("does not rest on its checksum: a changed text or number is named although the attacker computed the checksum again"),
    cliAudit("writes one file about a write that happened, and verify finds everything in it whole without a server"),
    cliAudit("names the broken link of a changed file, and ends with 1"),
  ],
  "LV-28": [
    insights("have shares and waiting times by tool and by the person whose decision ended each"),
    insights("count what ended in the period, with the whole wait of an approval that began before it"),
    cliAudit("shows how long writes waited and how they ended, by tool and approver"),
    telemetry("has %s in %s, by its tags"),
  ],
  "LV-29": [
    auditExport("names the record after the gap if any record is removed"),
    auditExport("names a record if any two are swapped"),
    auditExport("is not whole under a checkpoint that was kept elsewhere if its end was removed or rewritten"),
    copyRecords("have each record once if the process is killed before or after any commit"),
    cliAudit("exports the chain, and verify names a record that was changed, removed or cut off"),
    cliAudit("exports a CSV file with the records, the checkpoints and the keys"),
  ],
  "BEST-9": [
    { file: "tests/servers/permissions.test.ts", test: "may do what their services do, and nothing else" },
    { file: "tests/servers/permissions.test.ts", test: "reports both on each server" },
    { file: "packages/bus/src/conformance/conformance.test.ts", test: "notices a bus that $fault" },
    {
      file: "tests/servers/permissions.test.ts",
      test: "lose no commit when Redis is killed and reads its file again",
    },
    {
      file: "tests/rights.test.ts",
      test: "allows everything that the services do in an investigation with an approval, and with a dead letter",
    },
    apart("investigate a release to its filed report, and lack no right"),
  ],
};

/** The met rows for which one of our servers replaces the outside world (a vendor, a cluster) and speaks the real protocol. */
export const metOnTheWire: readonly string[] = [
  "V-01",
  "V-02",
  "V-05",
  "V-06",
  "V-07",
  "V-08",
  "V-09",
  "V-12",
  "V-16",
  "V-18",
  "V-21",
  "V-22",
  "L-11",
  "E-07",
  "E-10",
  "R-02",
  "BEST-7",
  "R-04",
  "O-01",
  "O-02",
  "Q-03",
];

/** Rows that were marked as met by mistake. Each has the words of the row that are not true. */
export const backToPlanned: Readonly<Record<string, string>> = {
  "H-02":
    "A message has the role user, assistant or tool. The system prompt is the profile's and no message of the conversation, so the role system does not occur.",
  "H-05":
    "People decide at approvals, a service with a port and keys of its own, so that whoever takes over the gateway decides nothing. The gateway has no route for it.",
};
