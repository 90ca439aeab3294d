import {
  type ApprovalCancel,
  type CancelReason,
  type McpMetadataRefresh,
  type ApprovalRequest,
  attributes,
  type Call,
  type Message,
  message,
  messageIds,
  messageTypes,
  type Run,
  type RunWake,
  type Taint,
  type ToolCancel,
  type ToolInvoke,
  type ToolRefresh,
  topics,
} from "@toolbus/contracts";
import type { Rules } from "../transitions/rules.ts";

/** Returns the invoke of a call. The body has four fields, and everything else is an attribute. Every repeat has the same secret and not-after. */
export function invokeMessage(call: Call, run: Run, rules: Rules, now: number): Message {
  const agent = rules.config.AGENT_NAME;
  const body: ToolInvoke = { toolCallId: call.callId, toolName: call.toolName, arguments: call.arguments, sessionId: run.conversationId };
  return message({
    id: messageIds.invoke(call.callId, call.dispatch),
    topic: topics.invoke(call.toolset),
    type: messageTypes.toolInvoke,
    source: `/agents/${agent}`,
    now,
    correlationId: call.callId,
    replyTo: topics.result(agent),
    attributes: {
      [attributes.notAfter]: call.notAfter ?? undefined,
      [attributes.dispatch]: call.dispatch,
      [attributes.toolVersion]: call.toolVersion,
      [attributes.toolHash]: call.toolHash,
      [attributes.callSecret]: call.secret,
      [attributes.grant]: call.grant,
      [attributes.agent]: agent,
      [attributes.mcpServer]: call.mcpServer,
    },
    body,
  });
}

/** Returns the request for the grant of a write. `taint` is the untrusted content that may have influenced the write. */
export function approvalRequestMessage(call: Call, taint: Taint | undefined, rules: Rules, now: number): Message {
  const body: ApprovalRequest = {
    toolCallId: call.callId,
    toolName: call.toolName,
    toolVersion: call.toolVersion,
    toolHash: call.toolHash,
    // Approvals compares a repeated request with the original arguments, even if an approver has edited them.
    arguments: call.asked?.arguments ?? call.arguments,
    sessionId: call.conversationId,
    ...(taint === undefined ? {} : { taint }),
  };
  return toApprovals(
    topics.approvalRequest,
    messageTypes.approvalRequest,
    messageIds.other("request", call.callId, call.requests),
    call,
    rules,
    now,
    body,
  );
}

/** Returns the message that withdraws an approval request. It is signed when it is published, because a transition has no key. */
export function approvalCancelMessage(call: Call, reason: CancelReason, rules: Rules, now: number): Message {
  const body: ApprovalCancel = { toolCallId: call.callId, reason };
  return toApprovals(
    topics.approvalCancel,
    messageTypes.approvalCancel,
    messageIds.other("cancel", call.callId, call.requests),
    call,
    rules,
    now,
    body,
  );
}

/** Returns a hint to the worker of this call that nobody waits for its answer any more. */
export function toolCancelMessage(call: Call, rules: Rules, now: number): Message {
  const agent = rules.config.AGENT_NAME;
  const body: ToolCancel = { toolCallId: call.callId };
  return message({
    id: messageIds.other("tool-cancel", call.callId, call.dispatch),
    topic: topics.toolCancel,
    type: messageTypes.toolCancel,
    source: `/agents/${agent}`,
    now,
    correlationId: call.callId,
    attributes: { [attributes.agent]: agent },
    body,
  });
}

/** Returns the message that asks every worker to register and announce its tools again. */
export function toolRefreshMessage(rules: Pick<Rules, "config">, now: number): Message {
  return refreshMessage(rules, now, { name: "refresh", topic: topics.toolRefresh, type: messageTypes.toolRefresh });
}

/** Returns the message that asks every MCP bridge to announce its servers. */
export function mcpMetadataRefreshMessage(rules: Pick<Rules, "config">, now: number): Message {
  return refreshMessage(rules, now, { name: "mcp-refresh", topic: topics.mcpMetadataRefresh, type: messageTypes.mcpMetadataRefresh });
}

function refreshMessage(
  { config: { AGENT_NAME: agent } }: Pick<Rules, "config">,
  now: number,
  { name, topic, type }: { readonly name: string; readonly topic: string; readonly type: Message["type"] },
): Message {
  const body: ToolRefresh & McpMetadataRefresh = {};
  return message({ id: messageIds.other(name, agent, now), topic, type, source: `/agents/${agent}`, now, body });
}

/** Returns the message with this trace context, or the message itself if there is none. */
export function inTrace(made: Message, traceparent: string | undefined): Message {
  return traceparent === undefined ? made : { ...made, attributes: { ...made.attributes, [attributes.traceparent]: traceparent } };
}

/** Returns the id of a wake of a run. */
export function wakeId(runId: string, n: string): string {
  return `wake:${runId}#${n}`;
}

/** Returns a hint that this run can advance. `n` makes repeats distinct. */
export function wakeMessage(run: Run, rules: Rules, now: number, n: string): Message {
  const body: RunWake = { runId: run.runId };
  const agent = rules.config.AGENT_NAME;
  return message({
    id: wakeId(run.runId, n),
    topic: topics.runWake,
    type: messageTypes.runWake,
    source: `/agents/${agent}`,
    now,
    attributes: { [attributes.agent]: agent },
    body,
  });
}

function toApprovals(topic: string, type: string, id: string, call: Call, rules: Rules, now: number, body: unknown): Message {
  const agent = rules.config.AGENT_NAME;
  return message({
    id,
    topic,
    type,
    source: `/agents/${agent}`,
    now,
    correlationId: call.callId,
    attributes: { [attributes.agent]: agent },
    body,
  });
}
