import { type ApprovalsSecurityKind, type Json, keyOf, keys } from "@toolbus/contracts";
import { eventSample, type LeftOut, recordsInTurn, type RecordToAppend, type StateStore } from "@toolbus/state";
import { type Log, recordSecurityEvent } from "@toolbus/telemetry";

/** An action that an honest agent or approver never takes. An event contains only ids, hashes and codes. It contains no arguments and no tokens. */
export interface SecurityEvent {
  /**
   * `document_refused`: a document of approvals, or an origin, differs from the one that its writer stored. `message_refused`: a notice or a cancel is not
   * signed or not allowed, a request has no genuine origin, or the reader of an answer does not exist.
   */
  readonly kind: ApprovalsSecurityKind;
  /** The approval that the event concerns. It is absent if there is none. */
  readonly approvalId?: string;
  /** Who caused the event: an approver, an agent, a service, or `store`. */
  readonly by: string;
  readonly details?: Readonly<Record<string, Json>>;
}

/**
 * Stores a security event in the log of its shard and writes it to the service's log. Resolves when the event is stored. The first events of a kind
 * in a minute are stored in full. The others share one entry with their number as `leftOut` in its details, so that a flood does not cost one commit
 * for each event.
 */
export type RecordSecurityEvent = (shard: string, event: SecurityEvent) => Promise<void>;

export interface SecurityRecorder {
  readonly record: RecordSecurityEvent;
  /** Stores the number of events that were left out so far. */
  stop(): Promise<void>;
}

export function securityRecorder(options: {
  readonly state: StateStore;
  readonly log: Log;
  readonly monotonic: () => number;
  readonly newId: () => string;
  /** How many events of a kind are stored in full per minute. */
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

/** The name of each shard's log, and of the document with the time of its last entry. */
export const SECURITY_LOG = "approvals";
const SECURITY_HEAD = "approvals.head";
