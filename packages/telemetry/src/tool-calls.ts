import type { Log } from "./logger.ts";
import { measure } from "./measurements.ts";
import { attributeNames, metricNames, spanEvents } from "./names.ts";
import { recorder } from "./recorder.ts";
import { spanEvent } from "./spans.ts";
import type { ToolCallRecord } from "./tool-audit.ts";

/** Records the one metadata event of a tool call that has ended: a line of the audit, a line of the log, an event of the active span, a count. */
export function recordToolCall(record: ToolCallRecord, log: Log): void {
  const { callId, tool, toolVersion, kind, status, latencyMs, provider } = record;
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
  });
  log.info({ callId, tool, toolVersion, kind, status, latencyMs, provider, round: record.round }, "a tool call ended");
}
