import type { Log } from "./logger.ts";
import { measure } from "./measurements.ts";
import { attributeNames, metricNames, spanEvents } from "./names.ts";
import { type Attributes, recorder } from "./recorder.ts";
import { spanEvent } from "./spans.ts";
import type { ToolCallRecord, ToolModelUse } from "./tool-audit.ts";

/**
 * Records the one metadata event of a tool call that has ended: a line of the audit, a line of the log, an event of the active span, a count. What the
 * tool's own model calls used and cost stands in line and event, and is counted by tool.
 */
export function recordToolCall(record: ToolCallRecord, log: Log): void {
  const { callId, tool, toolVersion, kind, status, latencyMs, provider, model } = record;
  recorder().audit?.append(record);
  measure(metricNames.toolCalls, 1, {
    [attributeNames.toolNameTag]: kind === "unknown" ? "unknown" : tool,
    [attributeNames.statusTag]: status,
  });
  spanEvent(spanEvents.toolCall, {
    [attributeNames.toolCallId]: callId,
    [attributeNames.toolName]: tool,
    [attributeNames.toolVersion]: toolVersion,
    [attributeNames.toolKind]: kind,
    [attributeNames.status]: status,
    [attributeNames.latencyMs]: latencyMs,
    [attributeNames.provider]: provider,
    ...(model ? modelAttributes(model) : {}),
  });
  if (model?.costMicroUsd !== undefined)
    measure(metricNames.toolModelCost, model.costMicroUsd / 1_000_000, { [attributeNames.toolNameTag]: tool });
  log.info(
    { callId, tool, toolVersion, kind, status, latencyMs, provider, round: record.round, ...(model ? { model } : {}) },
    "a tool call ended",
  );
}

function modelAttributes({ calls, inputTokens, outputTokens, costMicroUsd }: ToolModelUse): Attributes {
  return {
    [attributeNames.toolModelCalls]: calls,
    [attributeNames.inputTokens]: inputTokens,
    [attributeNames.outputTokens]: outputTokens,
    ...(costMicroUsd === undefined ? {} : { [attributeNames.costMicroUsd]: costMicroUsd }),
  };
}
