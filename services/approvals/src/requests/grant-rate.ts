import { createHash } from "node:crypto";
import { type Approval, keyOf, shardName } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import { grantedIn } from "./granted-so-far.ts";

/** Limits how often policy grants a tool to one principal within an hour, over all of the principal's runs. */
export interface GrantRate {
  /**
   * Uses up one of the hour's grants before the write is granted. If the write is then not granted, that grant is lost, so the count is never too
   * low. Returns false if no grant is left, or if nobody knows the count. `now` is the store's time. Throws `StoreUnavailable`.
   */
  take(wanted: Pick<Approval, "approvalId" | "tenant" | "requester" | "toolName">, now: number): Promise<boolean>;
}

export interface GrantRateOptions {
  readonly state: Pick<StateStore, "commit" | "shards">;
  readonly documents: Pick<ApprovalDocuments, "own">;
  /** The largest number of grants within an hour. 0 means no limit. */
  readonly perHour: number;
}

const HOUR_MS = 3_600_000;
// Each failed attempt means that another grant was counted.
const TRIES = 64;

/**
 * Stores the count in a shard of the principal, because a principal has runs in every shard. So a grant needs two commits, and this one is the first.
 */
export function grantRate({ state, documents, perHour }: GrantRateOptions): GrantRate {
  return {
    async take({ approvalId, tenant, requester, toolName }, now) {
      if (perHour === 0) return true;
      const name = createHash("sha256")
        .update(JSON.stringify([tenant, requester]))
        .digest();
      const shard = shardName(name.readUInt32BE() % state.shards);
      const hour = Math.floor(now / HOUR_MS);
      const key = keyOf("quota", shard, `${name.toString("base64url")}:${toolName}:${hour}`);
      for (let tries = 1; tries <= TRIES; tries++) {
        const { document } = await documents.own(key, approvalId);
        const granted = document.kind === "absent" ? 0 : grantedIn(document);
        if (granted === null) return false;
        if (granted >= perHour) return false;
        const version = document.kind === "absent" ? 0 : document.version;
        const reply = await state.commit(shard, {
          op: `rate:${approvalId}:${key}:${granted}`,
          guards: [{ key, version }],
          put: [{ key, value: { granted: granted + 1 }, expiresAt: (hour + 2) * HOUR_MS }],
        });
        if (reply.outcome === "ok") return true;
      }
      throw new Error(`The grants of ${toolName} to one requester were counted by others ${TRIES} times in a row.`);
    },
  };
}
