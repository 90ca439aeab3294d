import { keyOf, keys, shardOf, type WorkerSecurityKind } from "@toolbus/contracts";
import type { ForgedReason } from "@toolbus/grants";
import { eventSample, type LeftOut, recordsInTurn, type StateStore } from "@toolbus/state";
import { type Log, recordSecurityEvent } from "@toolbus/telemetry";
import type { ToolCall } from "../tool/tool-call.ts";
import { cleanText } from "../tool/tool-problem.ts";

export interface SecurityEvent {
  /** The kind of the event, or the reason why a grant was refused, such as `missing` or `signature`. */
  readonly reason: WorkerSecurityKind | ForgedReason;
  readonly detail: string;
}

/**
 * The security log of a toolset, which is kept for 30 days. In each event, somebody requested a write that nobody granted, or wrote documents into
 * the store on which a worker relies. The first events of each reason in a minute are recorded whole, and each causes a warning. For the later events
 * in that minute, one entry with `leftOut` records only their number. So a flood does not cost a commit and a log line for each event.
 */
export interface SecurityRecords {
  /**
   * Records an event. Returns true if it was recorded whole. Throws `StoreUnavailable` if the store does not answer, and then the message is
   * delivered again.
   */
  record(call: ToolCall, event: SecurityEvent): Promise<boolean>;
  /** Stores the number of events that were left out so far. */
  stop(): Promise<void>;
}

export interface SecurityRecordsOptions {
  readonly toolset: string;
  readonly state: StateStore;
  readonly log: Log;
  readonly monotonic: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** The number of events of a reason that are recorded whole in a minute. The default is 30. */
  readonly perMinute?: number | undefined;
}

export function securityRecords({ toolset, state, log, monotonic, random, perMinute }: SecurityRecordsOptions): SecurityRecords {
  const service = `worker.${toolset}`;
  const sample = eventSample({ monotonic, tell, ...(perMinute === undefined ? {} : { perMinute }) });
  const inTurn = recordsInTurn(state);
  return {
    async record(call, event) {
      const { callId, toolName: tool, message } = call;
      const { reason } = event;
      const shard = shardOf(callId);
      const whole = sample.take(reason, { shard });
      recordSecurityEvent({ service, reason, whole });
      if (!whole) return false;
      const detail = cleanText(event.detail, 300);
      log.warn(
        { callId, tool, reason, detail, source: cleanText(message.source, 120) },
        "a write was requested on a basis that is not genuine",
      );
      const stored = await inTurn(shard, {
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
      if (!stored) sample.missed(reason, { shard });
      return true;
    },
    stop: sample.stop,
  };

  async function tell({ kind: reason, count: leftOut, overMs, shard }: LeftOut): Promise<void> {
    log.warn({ reason, leftOut, overMs }, "more writes were requested on a basis that is not genuine: only their number is kept");
    const stored = await inTurn(shard, {
      op: `security:${reason}:left-out:${Buffer.from(random(12)).toString("hex")}`,
      log: keys.security(shard, service),
      head: keyOf("security", shard, `${service}.head`),
      entry: (at) => ({ at, service, reason, leftOut, overMs }),
      keepMs: KEEP_MS,
    });
    if (!stored) throw new Error("Others wrote the log at the same time.");
  }
}

const KEEP_MS = 30 * 86_400_000;
