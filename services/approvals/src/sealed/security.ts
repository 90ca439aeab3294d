import { type Json, keyOf, keys } from "@toolbus/contracts";
import { eventSample, type LeftOut, recordsInTurn, type RecordToAppend, type StateStore } from "@toolbus/state";
import { type Log, recordSecurityEvent } from "@toolbus/telemetry";

/** Something that an honest agent or approver never does. Ids, hashes and codes only: no arguments, no tokens. */
export interface SecurityEvent {
  readonly kind:
    | "conflicting_request"
    | "self_approval"
    | "unknown_token"
    | "token_reused"
    | "not_allowed"
    /** A document of ours, or an origin, that its writer did not write so. */
    | "document_refused"
    /** A notice or a cancel that its sender did not sign, or may not send. */
    | "message_refused";
  /** Absent if it concerns none. */
  readonly approvalId?: string;
  /** An approver, or the agent. */
  readonly by: string;
  readonly details?: Readonly<Record<string, Json>>;
}

/**
 * Stores a security event in the log of its shard and writes it to the service's log. Resolves when it is stored. The first of a kind in a minute are kept
 * in full; of the rest only the number is kept, in one entry with `leftOut` in its details, so that a flood does not cost a commit for each.
 */
export type RecordSecurityEvent = (shard: string, event: SecurityEvent) => Promise<void>;

export interface SecurityRecorder {
  readonly record: RecordSecurityEvent;
  /** Stores the number of those that were left out so far. */
  stop(): Promise<void>;
}

export function securityRecorder(options: {
  readonly state: StateStore;
  readonly log: Log;
  readonly monotonic: () => number;
  readonly newId: () => string;
  /** How many of a kind are kept in full per minute. */
  readonly perMinute: number;
}): SecurityRecorder {
  const { state, log, monotonic, newId, perMinute } = options;
  const append = recordsInTurn(state);
  const sample = eventSample({ monotonic, perMinute, tell });
  return {
    async record(shard, event) {
      const { kind } = event;
      const whole = sample.take(kind, { shard });
      recordSecurityEvent({ service: SECURITY_LOG, reason: kind, whole });
      if (!whole) return;
      log.warn({ ...event }, "a security event");
      if (
        !(await append(
          shard,
          recordOf(shard, (at) => ({ ...event, at })),
        ))
      )
        sample.missed(kind, { shard });
    },
    stop: sample.stop,
  };

  async function tell({ kind, count: leftOut, overMs, shard }: LeftOut): Promise<void> {
    log.warn({ kind, leftOut, overMs }, "more security events of this kind: only their number is kept");
    const stored = await append(
      shard,
      recordOf(shard, (at) => ({ kind, by: SECURITY_LOG, details: { leftOut, overMs }, at })),
    );
    if (!stored) throw new Error("Others wrote the log at the same time.");
  }

  function recordOf(shard: string, entry: (at: number) => Json): RecordToAppend {
    return { op: `security:${newId()}`, log: keys.security(shard, SECURITY_LOG), head: keyOf("security", shard, SECURITY_HEAD), entry };
  }
}

/** The log of each shard, and the document that says when it was last written to. */
export const SECURITY_LOG = "approvals";
export const SECURITY_HEAD = "approvals.head";
