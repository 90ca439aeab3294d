import { type Json, keyOf, keys } from "@toolbus/contracts";
import { appendRecord, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** Something that an honest agent or approver does not do. Ids, hashes and codes only: no arguments, no tokens. */
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
  /** Absent where it is about none. */
  readonly approvalId?: string;
  /** An approver, or the agent. */
  readonly by: string;
  readonly details?: Readonly<Record<string, Json>>;
}

/** Keeps a security event in the log of its shard and says it in the service's log. Resolves when it is stored. */
export type RecordSecurityEvent = (shard: string, event: SecurityEvent) => Promise<void>;

export function securityRecorder(options: {
  readonly state: StateStore;
  readonly log: Log;
  readonly newId: () => string;
}): RecordSecurityEvent {
  const { state, log, newId } = options;
  return async (shard, event) => {
    log.warn({ ...event }, "a security event");
    const stored = await appendRecord(state, shard, {
      op: `security:${newId()}`,
      log: keys.security(shard, SECURITY_LOG),
      head: keyOf("security", shard, SECURITY_HEAD),
      entry: (at) => ({ ...event, at }),
    });
    if (!stored) throw new Error(`A security event of shard ${shard} was not stored: too many were written at the same time.`);
  };
}

/** The log of each shard, and the document that says when it was last written to. */
export const SECURITY_LOG = "approvals";
export const SECURITY_HEAD = "approvals.head";
