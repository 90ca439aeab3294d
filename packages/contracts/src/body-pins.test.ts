import { describe, expect, it } from "vitest";
import * as contracts from "./index.ts";

/** The members of an object schema that describe its fields. */
interface ObjectSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[] | undefined;
}

// These tests list the fields of every body that crosses a process boundary. A "?" marks an optional field.
describe("bodies of messages", () => {
  it.each([
    ["tool.invoke.<toolset>", contracts.ToolInvoke, "toolCallId toolName arguments sessionId"],
    ["toolbus.tool.result", contracts.ToolResponse, "toolCallId toolName content isError"],
    ["toolbus.tool.error", contracts.ToolFailure, "toolCallId toolName code message isRetryable"],
    ["run.wake", contracts.RunWake, "runId entryId? call? delivery?"],
    ["the call of a wake", contracts.SeenCall, "callId dispatch requests"],
    ["approval.request", contracts.ApprovalRequest, "toolCallId toolName toolVersion toolHash arguments sessionId taint?"],
    ["approval.cancel", contracts.ApprovalCancel, "toolCallId reason"],
    ["approval.rollback", contracts.ApprovalRollback, "losses"],
    ["approval.held.<agent>", contracts.ApprovalHeld, "toolCallId approvalId tier expiresAt effect approvedBy? approversNeeded?"],
    [
      "approval.decided.<agent>",
      contracts.ApprovalDecided,
      "toolCallId approvalId outcome comment? decidedBy? grantExpiresAt? executeBy? arguments? effect? reason?",
    ],
    ["tool.cancel", contracts.ToolCancel, "toolCallId"],
    ["tool.progress.<agent>", contracts.ToolProgress, "toolCallId toolName n message fraction? questions? secretHash"],
    ["tool.announce", contracts.ToolAnnounce, "toolset tools"],
    ["tool.refresh", contracts.ToolRefresh, "toolset?"],
    ["mcp.servers.indexed", contracts.McpServersIndexed, "servers"],
    ["a server of it", contracts.IndexedServer, "name tools available indexedAt"],
    ["mcp.metadata.refresh", contracts.McpMetadataRefresh, ""],
    ["operations.replay", contracts.OperationsReplay, "letterId"],
    ["dead.<queue>", contracts.DeadLetter, "queue reason deliveries history message cut"],
  ])("%s has exactly its fields", (_, schema, expected) => {
    expect(fields(schema)).toBe(expected);
  });

  it("keep every field of a dead message", () => {
    expect(fields(contracts.DeadLetter.properties.message)).toBe("id topic type source time correlationId? replyTo? attributes body");
  });
});

describe("results", () => {
  it.each([
    ["a result", contracts.ToolResult, "status content contentRef? media? isError error? truncated? metadata?"],
    ["its error", contracts.ResultError, "code class message retryable retryAfter? details?"],
    ["its metadata", contracts.CallMetadata, "tool agent startedAt endedAt latencyMs ok errorClass? traceId? attempt model? questions?"],
  ])("%s has exactly its fields", (_, schema, expected) => {
    expect(fields(schema)).toBe(expected);
  });
});

describe("bodies of requests", () => {
  it.each([
    ["POST /v1/investigations", contracts.InvestigationRequest, "releaseId? changes? measurements? alert? note?"],
    ["an alert", contracts.Alert, "labels annotations? status? startsAt? endsAt? generatorURL? fingerprint?"],
    ["POST /v1/conversations", contracts.ConversationRequest, "profile?"],
    ["POST /v1/conversations/{id}/messages", contracts.MessageRequest, "content? text? ifActive?"],
    ["POST /v1/runs/{id}/answers", contracts.AnswerRequest, "callId text"],
    ["POST /v1/approvals/{id}/decision", contracts.DecisionRequest, "decision token comment? ticket? arguments? argumentsHash? planHash?"],
    [
      "a decision of POST /v1/approvals/decisions",
      contracts.BatchDecisionRequest.properties.decisions.items,
      "approval decision token comment? ticket? argumentsHash? planHash?",
    ],
    ["POST /v1/runs/{id}/question-answers", contracts.QuestionAnswerRequest, "callId questionId action content?"],
    ["POST /v1/triggers/release", contracts.ReleaseTrigger, "releaseId note?"],
    ["an entry of the file of API keys", contracts.ApiKey, "id sha256 principal tenant roles scopes groups? tools? expiresAt?"],
  ])("%s has exactly its fields", (_, schema, expected) => {
    expect(fields(schema)).toBe(expected);
  });
});

describe("a message from Alertmanager", () => {
  it("is read by these fields, and may have fields that were added to its version 4 later", () => {
    const { AlertmanagerMessage, SentAlert } = contracts;
    expect([AlertmanagerMessage, SentAlert].map(named)).toEqual([
      "version groupKey truncatedAlerts? status? receiver? groupLabels? commonLabels? commonAnnotations? externalURL? alerts",
      "status labels annotations? startsAt endsAt? generatorURL? fingerprint",
    ]);
    const later = { version: "4", groupKey: "{}", alerts: [], notification_reason: "first notification" };
    expect(contracts.alertmanagerMessage.parse(later)).toEqual({ ok: true, value: later });
  });
});

describe("what is signed", () => {
  it.each([
    [
      "a grant",
      contracts.GrantClaims,
      "iss aud jti iat nbf exp era tenant runId callId tool toolVersion toolHash argsHash tier requester approvers need ticket? plan?",
    ],
    ["a receipt", contracts.ReceiptClaims, "callId toolset tool toolHash argsHash fence resultHash answerHash at"],
    ["a sending proof", contracts.SendingClaims, "callId toolset tool toolHash argsHash jti fence preparedHash at"],
    ["a proof of a plan", contracts.PlanClaims, "callId toolset tool toolHash argsHash planHash drifted? at"],
    [
      "a tool definition, whose hash a grant names",
      contracts.ToolDefinition,
      "name version description parameters kind risk idempotency timeoutMs effect? plan? scopes? source trust? owner? flag? deprecated? slo?",
    ],
  ])("%s has exactly its fields", (_, schema, expected) => {
    expect(fields(schema)).toBe(expected);
  });
});

/** Returns the names of the fields in order. Throws if the schema allows other fields. */
function fields(schema: ObjectSchema): string {
  if (!("additionalProperties" in schema) || schema.additionalProperties !== false) throw new Error("The schema allows unknown fields.");
  return named(schema);
}

function named({ properties, required = [] }: ObjectSchema): string {
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(" ");
}
