import { type Json, keyOf, keys } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";

/** Something that an honest agent or approver does not do. Ids, hashes and codes only: no arguments, no tokens. */
export interface SecurityEvent {
  readonly kind: "conflicting_request" | "self_approval" | "unknown_token" | "token_reused" | "not_allowed";
  readonly approvalId: string;
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
    const head = keyOf("security", shard, HEAD);
    const op = `security:${newId()}`;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const { now, documents } = await state.read([head]);
      const version = documents[0]?.version ?? 0;
      const reply = await state.commit(shard, {
        op,
        guards: [{ key: head, version }],
        put: [{ key: head, value: { lastAt: now } }],
        append: [{ log: keys.security(shard, LOG), entries: [{ ...event, at: now }] }],
      });
      if (reply.outcome === "ok") return;
    }
    throw new Error(
      `A security event of shard ${shard} was not stored: others were written at the same time, ${MAX_ATTEMPTS} times in a row.`,
    );
  };
}

const LOG = "approvals";
// A commit is guarded by a document; the log itself is none.
const HEAD = "approvals.head";
const MAX_ATTEMPTS = 20;
