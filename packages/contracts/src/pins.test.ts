import { describe, expect, it } from "vitest";
import * as contracts from "./index.ts";

// Other processes, other languages and stored data depend on these names. The tests spell out every name, because a change of a name changes the wire
// format and needs a decision record.

const RUN = "rn_0a_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const CONVERSATION = "cv_0a_01BX5ZZKBKACTAV9WEVGEMMVRZ";
const CALL = `${RUN}.2.0`;
const APPROVAL = `ap_${CALL}`;
const LETTER = "dl_0a_01ARZ3NDEKTSV4RRFFQ69G5FAV";

describe("names on the bus", () => {
  it("are these topics", () => {
    expect(filled(contracts.topics)).toEqual({
      runWake: "run.wake",
      approvalRequest: "approval.request",
      approvalCancel: "approval.cancel",
      approvalRollback: "approval.rollback",
      approvalPlanned: "approval.planned",
      approvalHeld: "approval.held.x",
      approvalDecided: "approval.decided.x",
      invoke: "tool.invoke.x",
      plan: "tool.plan.x",
      result: "tool.result.x",
      progress: "tool.progress.x",
      toolCancel: "tool.cancel",
      toolAnnounce: "tool.announce",
      toolRefresh: "tool.refresh",
      mcpServersIndexed: "mcp.servers.indexed",
      mcpMetadataRefresh: "mcp.metadata.refresh",
      operationsReplay: "operations.replay",
      dead: "dead.x",
    });
    expect(contracts.topics.result(contracts.DEFAULT_AGENT)).toBe("tool.result.default");
  });

  it("are these queues, for two agents and a toolset", () => {
    expect(contracts.queuesOf({ agents: ["default", "other"], toolsets: ["release"] })).toEqual([
      "run.wake",
      "approval.request",
      "approval.cancel",
      "approval.rollback",
      "approval.planned",
      "operations.replay",
      "approval.held.default",
      "approval.decided.default",
      "tool.result.default",
      "approval.held.other",
      "approval.decided.other",
      "tool.result.other",
      "tool.invoke.release",
      "tool.plan.release",
    ]);
  });

  it("are these attributes", () => {
    expect(contracts.attributes).toEqual({
      notAfter: "toolbus-not-after",
      dispatch: "toolbus-dispatch",
      toolVersion: "toolbus-tool-version",
      toolHash: "toolbus-tool-hash",
      era: "toolbus-era",
      commit: "toolbus-commit",
      grant: "toolbus-grant",
      callSecret: "toolbus-call-secret",
      secretHash: "toolbus-secret-hash",
      agent: "toolbus-agent",
      entry: "toolbus-entry",
      mcpServer: "toolbus-mcp-server",
      mcpServerAlias: "rb-mcp-server",
      errorClass: "toolbus-error-class",
      errorDetails: "toolbus-error-details",
      resultMetadata: "toolbus-result-metadata",
      receipt: "toolbus-receipt",
      blob: "toolbus-blob",
      replayOf: "toolbus-replay-of",
      sender: "toolbus-sender",
      signature: "toolbus-signature",
      traceparent: "traceparent",
      tracestate: "tracestate",
      baggage: "baggage",
    });
  });

  it("are these message types", () => {
    expect(contracts.messageTypes).toEqual({
      toolInvoke: "toolbus.tool.invoke",
      toolResult: "toolbus.tool.result",
      toolError: "toolbus.tool.error",
      grantStale: "toolbus.tool.grant_stale",
      toolCancel: "toolbus.tool.cancel",
      toolProgress: "toolbus.tool.progress",
      toolAnnounce: "toolbus.tool.announce",
      toolRefresh: "toolbus.tool.refresh",
      mcpServersIndexed: "toolbus.mcp.servers_indexed",
      mcpMetadataRefresh: "toolbus.mcp.metadata_refresh",
      runWake: "toolbus.run.wake",
      approvalRequest: "toolbus.approval.request",
      approvalCancel: "toolbus.approval.cancel",
      approvalRollback: "toolbus.approval.rollback",
      toolPlan: "toolbus.tool.plan",
      approvalPlanned: "toolbus.approval.planned",
      approvalHeld: "toolbus.approval.held",
      approvalDecided: "toolbus.approval.decided",
      operationsReplay: "toolbus.operations.replay",
      deadLetter: "toolbus.dead_letter",
    });
  });

  it("are these fields of a message, in CloudEvents 1.0", () => {
    const full = contracts.message({
      id: "m",
      topic: "t",
      type: "ty",
      source: "s",
      now: 1_800_000_000_000,
      correlationId: CALL,
      replyTo: "r",
      attributes: { "toolbus-dispatch": 1 },
      body: {},
    });
    expect(full).toEqual({
      id: "m",
      topic: "t",
      type: "ty",
      source: "s",
      time: "2027-01-15T08:00:00.000Z",
      correlationId: CALL,
      replyTo: "r",
      attributes: { "toolbus-dispatch": "1" },
      body: "{}",
    });
    expect([contracts.CLOUDEVENTS_VERSION, contracts.SPEC_VERSION, contracts.MAX_BODY_BYTES]).toEqual(["1.0", "1.0", 262_144]);
  });
});

describe("message ids", () => {
  it("carry the number of the repeat", () => {
    const { invoke, result, other } = contracts.messageIds;
    expect([invoke(CALL, 2), result(CALL, 3), other("wake", RUN, 4)]).toEqual([`${CALL}#2`, `${CALL}#r3`, `wake:${RUN}#4`]);
  });
});

describe("names in the store", () => {
  it("are these, family first and the shard as the hash tag", () => {
    const { keys } = contracts;
    const sub = `${RUN}~3`;
    expect([
      keys.conversationOrigin(CONVERSATION),
      keys.runOrigin(sub),
      keys.inbox("0a", "entry"),
      keys.conversation(CONVERSATION),
      keys.run(sub),
      keys.call(CALL),
      keys.stop(CALL),
      keys.transcript(CONVERSATION),
      keys.context(CONVERSATION),
      keys.events(RUN),
      keys.live(RUN),
      keys.budget("0a", "principal:hash:2026-11-21"),
      keys.working(CONVERSATION, `session/${CONVERSATION}/tool-search-${CALL}-index`),
      keys.ledger("release", CALL),
      keys.resource("release", "0a", "hash"),
      keys.registration("release", "get_release", "1.2"),
      keys.replacedDefinition("release", "sha256-x"),
      keys.registeredMcpServers(),
      keys.mcpLease(),
      keys.registryIndex(),
      keys.agentIndex(),
      keys.approval(APPROVAL),
      keys.token(APPROVAL, "hash"),
      keys.operatorKey("hash"),
      keys.pageSession("hash"),
      keys.usedSignIn("hash"),
      keys.audit("0a"),
      keys.auditChain("acme"),
      keys.auditChain(null),
      keys.auditCheckpoints("acme"),
      keys.auditHead("system"),
      keys.auditPosition("0a"),
      keys.auditLease(),
      keys.auditOf(APPROVAL),
      keys.auditChains(),
      keys.pin("get_release"),
      keys.pinBeside("get_release", "sha256-x"),
      keys.era(),
      keys.keyProbe(),
      keys.profiles("default"),
      keys.quota(sub, "writes"),
      keys.security("0a", "worker.release"),
      keys.pendingApprovals(),
      keys.endedApprovals("hash"),
      keys.endedApprovals("hash", "rejected"),
      keys.endedApprovalTenants(),
      keys.rate("gateway", "0a", "runs:hash"),
      keys.deadLetter(LETTER),
      keys.deadLetters(),
      keys.deadLetters("tool.invoke.release"),
      keys.replayRequest(LETTER),
      keys.letterDismissal(LETTER),
      keys.removal("release/get_release@1.2"),
      keys.removals(),
      keys.serverSummary("hash"),
      keys.runIndex("user:one"),
      keys.openRuns("hash"),
      keys.conversationIndex("hash"),
    ]).toEqual([
      `tb:origin:{0a}:${CONVERSATION}`,
      `tb:origin:{0a}:${RUN}`,
      "tb:inbox:{0a}:entry",
      `tb:conversation:{0a}:${CONVERSATION}`,
      `tb:run:{0a}:${RUN}~3`,
      `tb:call:{0a}:${CALL}`,
      `tb:stop:{0a}:${CALL}`,
      `tb:transcript:{0a}:${CONVERSATION}`,
      `tb:context:{0a}:${CONVERSATION}`,
      `tb:events:{0a}:${RUN}`,
      `tb:live:{0a}:${RUN}`,
      "tb:budget:{0a}:principal:hash:2026-11-21",
      `tb:working:{0a}:session/${CONVERSATION}/tool-search-${CALL}-index`,
      `tb:ledger.release:{0a}:${CALL}`,
      "tb:ledger.release:{0a}:resource.hash",
      "tb:registry.release:{00}:get_release@1.2",
      "tb:registry.release:{00}:sha256-x",
      "tb:registry.mcp:{00}:mcp:servers",
      "tb:registry.mcp:{00}:mcp:lease",
      "index.registry",
      "index.agents",
      `tb:approval:{0a}:${APPROVAL}`,
      "tb:token:{0a}:hash",
      "tb:token:{00}:operator:hash",
      "tb:token:{00}:session:hash",
      "tb:token:{00}:sign-in:hash",
      "tb:audit:{0a}:audit",
      "tb:audit:{00}:chain.tenant.acme",
      "tb:audit:{00}:chain.system",
      "tb:audit:{00}:checkpoints.tenant.acme",
      "tb:audit:{00}:head.tenant.system",
      "tb:audit:{00}:position.0a",
      "tb:audit:{00}:chainer",
      `tb:audit:{00}:of.${APPROVAL}`,
      "index.approvals.chains",
      "tb:pin:{00}:get_release",
      "tb:pin:{00}:get_release@sha256-x",
      "tb:era:{00}:era",
      "tb:era:{00}:probe",
      "tb:profile:{00}:default",
      `tb:quota:{0a}:${RUN}:writes:granted`,
      "tb:security:{0a}:worker.release",
      "index.approvals.pending",
      "index.approvals.ended.hash",
      "index.approvals.ended.hash.rejected",
      "index.approvals.tenants",
      "tb:rate.gateway:{0a}:runs:hash",
      `tb:dead:{0a}:${LETTER}`,
      "index.dead",
      "index.dead.tool.invoke.release",
      `tb:replay:{0a}:${LETTER}`,
      `tb:replay:{0a}:dismissal.${LETTER}`,
      "tb:removal:{00}:release/get_release@1.2",
      "index.removals",
      "tb:summary:{00}:hash",
      "index.runs.user:one",
      "index.runs.~open.hash",
      "index.runs.~conversations.hash",
    ]);
    expect(contracts.DEFAULT_SHARDS).toBe(16);
  });
});

describe("identifiers", () => {
  it.each([
    ["conversation", CONVERSATION],
    ["run", RUN],
    ["run", `${RUN}~1~12`],
    ["call", CALL],
    ["call", `${RUN}~1.25.31`],
    ["approval", APPROVAL],
    ["deadLetter", LETTER],
    ["shard", "0f"],
  ] as const)("have the form of a %s: %s", (kind, id) => {
    const matching = Object.entries(contracts.ID_PATTERNS).filter(([, pattern]) => new RegExp(pattern).test(id));
    expect(matching.map(([name]) => name)).toEqual([kind]);
  });
});

describe("tiers", () => {
  it("need these numbers of approvers, in this order of risk", () => {
    expect(contracts.TIERS).toEqual(["low", "medium", "high", "critical"]);
    expect(contracts.APPROVERS_NEEDED).toEqual({ low: 0, medium: 0, high: 1, critical: 2 });
  });
});

describe("values for people and streams", () => {
  it("are these decisions, outcomes, roles and states", () => {
    expect(contracts.DECISIONS).toEqual(["approve", "deny", "revise"]);
    expect(contracts.APPROVAL_OUTCOMES).toEqual(["approved", "rejected", "revision_requested", "expired", "cancelled", "limit", "refused"]);
    expect(contracts.ROLES).toEqual(["user", "operator", "approver", "alertmanager", "releaser"]);
    expect(contracts.RUN_STATUSES).toEqual(["queued", "ready", "waiting", "done", "failed", "cancelled"]);
    expect(contracts.CALL_STATES).toEqual(["queued", "requested", "held", "granted", "dispatched", "asked", "resolved"]);
    expect(contracts.LETTER_STATES).toEqual(["open", "replaying", "replayed", "dismissed"]);
    expect(contracts.SEVERITIES).toEqual(["low", "medium", "high"]);
  });

  it("are these types of events, of which three end a stream", () => {
    expect([...Object.keys(contracts.RUN_EVENT_SCHEMAS), ...Object.keys(contracts.LIVE_EVENT_SCHEMAS)]).toEqual([
      "run.queued",
      "run.started",
      "turn",
      "model.retry",
      "call.held",
      "call.decided",
      "call.unserved",
      "call.resolved",
      "call.settled",
      "call.asked",
      "question.asked",
      "question.ended",
      "run.cancelling",
      "run.completed",
      "run.failed",
      "run.cancelled",
      "accepted",
      "delta",
      "arguments",
      "reset",
      "progress",
      "bye",
    ]);
    expect(contracts.RUN_ENDS).toEqual(["run.completed", "run.failed", "run.cancelled"]);
    expect(["run.failed", "run.cancelling", "turn"].map((type) => contracts.isRunEnd({ type }))).toEqual([true, false, false]);
  });

  it("are this issuer and these audiences of grants", () => {
    expect([contracts.GRANT_ISSUER, contracts.grantAudience("release")]).toEqual(["tb-approvals", "tb-executor:release"]);
  });
});

/** Returns the names, with "x" in every template. */
function filled(names: Readonly<Record<string, string | ((part: string) => string)>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).map(([name, value]) => [name, typeof value === "string" ? value : value("x")]));
}
