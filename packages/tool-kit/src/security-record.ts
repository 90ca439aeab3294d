import { keyOf, keys, shardOf } from "@toolbus/contracts";
import { appendRecord, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { ToolCall } from "./tool-call.ts";
import { cleanText } from "./tool-problem.ts";

export interface SecurityEvent {
  /** What was tried: `no_grant`, `conflict`, `ledger_forged`, `ledger_row_gone`, `era_forged`, or the reason that a grant was refused for. */
  readonly reason: string;
  readonly detail: string;
}

/**
 * Records that somebody asked for a write that nobody granted, or wrote into the store what a worker goes by: a durable entry in the toolset's security
 * log (kept 30 days) and a warning. Throws `StoreUnavailable` when the store does not answer: the delivery then comes again.
 */
export async function recordSecurityEvent(
  call: ToolCall,
  event: SecurityEvent,
  context: { readonly toolset: { readonly name: string }; readonly state: StateStore; readonly log: Log },
): Promise<void> {
  const { state, log, toolset } = context;
  const { callId, toolName: tool, message } = call;
  const { reason } = event;
  const detail = cleanText(event.detail, 300);
  log.warn({ callId, tool, reason, detail, source: cleanText(message.source, 120) }, "a write was asked for on ground that is not genuine");
  const shard = shardOf(callId);
  const service = `worker.${toolset.name}`;
  const stored = await appendRecord(state, shard, {
    op: `security:${reason}:${message.id.slice(0, 160)}:${call.count}`,
    log: keys.security(shard, service),
    head: keyOf("security", shard, `${service}.head`),
    entry: (at) => ({
      at,
      service,
      reason,
      detail,
      callId,
      tool: cleanText(tool, 128),
      messageId: cleanText(message.id, 160),
      source: cleanText(message.source, 120),
    }),
    keepMs: KEEP_MS,
  });
  if (stored) return;
  log.error({ callId, tool, reason }, "a security event could not be stored: too many at once");
}

const KEEP_MS = 30 * 86_400_000;
