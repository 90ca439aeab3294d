import type { Log } from "./logger.ts";
import { measure } from "./measurements.ts";
import { attributeNames, metricNames, spanEvents } from "./names.ts";
import { type Attributes, recorder } from "./recorder.ts";
import { spanEvent } from "./spans.ts";
import type { ToolCallRecord, ToolModelUse } from "./tool-audit.ts";

/**
 * Records the one metadata event of an ended tool call: a line of the audit, a line of the log, an event of the active span, and a count. The log
 * line and the event include the use and cost of the tool's own model calls. The cost is also counted by tool. By default the log shows only failed
 * calls. The others are logged at `debug`.
 */
export function recordToolCall(record: ToolCallRecord, log: Log): void {
  const { runId, callId, tool, toolVersion, kind, status, latencyMs, code, provider, model } = record;
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
  const said = { runId, callId, tool, status, ...(code === undefined ? {} : { code }), latencyMs, kind, ...(model ? { model } : {}) };
  // This is a warning, because an operator must find out what the write did.
  if (status === "outcome_unknown") log.warn(said, "a tool call failed");
  else if (status === "ok" || NOT_FAILED.has(code ?? status))
    log.debug({ ...said, toolVersion, provider, round: record.round }, "a tool call ended");
  else log.info(said, "a tool call failed");
}

/**
 * These calls did not run because of a decision, or because an earlier write did not succeed. The log already contains that decision or that write.
 */
const NOT_FAILED: ReadonlySet<string> = new Set(["denied_by_user", "revision_requested", "cancelled", "skipped"]);

function modelAttributes({ calls, inputTokens, outputTokens, costMicroUsd }: ToolModelUse): Attributes {
  return {
    [attributeNames.toolModelCalls]: calls,
    [attributeNames.inputTokens]: inputTokens,
    [attributeNames.outputTokens]: outputTokens,
    ...(costMicroUsd === undefined ? {} : { [attributeNames.costMicroUsd]: costMicroUsd }),
  };
}
