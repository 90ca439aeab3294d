import { createHash } from "node:crypto";
import { type Approval, isJsonObject, type Json, keyOf, OLD_SEALS_MS, shardName } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";

/** Limits how many writes of one requester may wait for people at a time, over all of the requester's runs. */
export interface PendingRoom {
  /**
   * Reserves a place before the write is held. A write that has a place keeps it, however often it is requested. Returns false if no place is left. A
   * place is free again when its approval has ended. Approvals checks this from time to time, and always when no other place is left. `now` is the
   * store's time. Throws `StoreUnavailable`.
   */
  take(wanted: Pick<Approval, "approvalId" | "tenant" | "requester">, now: number): Promise<boolean>;
}

export interface PendingRoomOptions {
  readonly state: Pick<StateStore, "commit" | "shards">;
  readonly documents: Pick<ApprovalDocuments, "own" | "approvals">;
  /** The largest number of places. 0 means no limit. */
  readonly most: number;
  /** The longest time that a write can need its place, in milliseconds. People have this long to decide. */
  readonly expiryMs: number;
}

// Each failed attempt means that another write took a place.
const TRIES = 64;

/**
 * Stores one sealed document for each requester, in the requester's own shard, with the ids of the writes that have a place. So a held write needs
 * two commits, and this one is the first.
 */
export function pendingRoom({ state, documents, most, expiryMs }: PendingRoomOptions): PendingRoom {
  return {
    async take({ approvalId, tenant, requester }, now) {
      if (most === 0) return true;
      const name = createHash("sha256")
        .update(JSON.stringify([tenant, requester]))
        .digest();
      const shard = shardName(name.readUInt32BE() % state.shards);
      const key = keyOf("quota", shard, `${name.toString("base64url")}:pending`);
      for (let tries = 1; tries <= TRIES; tries++) {
        const { document } = await documents.own(key, approvalId);
        // People decide about each of these writes, so approvals reports a forged list and starts an empty one.
        const value = document.kind === "genuine" ? document.value : null;
        let taken = placesIn(value, now);
        let lookAt = lookAtIn(value);
        if (taken.has(approvalId)) return true;
        if (taken.size >= Math.min(most, lookAt)) {
          taken = await stillPending(taken, now);
          lookAt = Math.max(LOOK_AT, 2 * taken.size);
        }
        if (taken.size >= most) return false;
        const version = document.kind === "absent" ? 0 : document.version;
        const pending = Object.fromEntries([...taken, [approvalId, now + expiryMs]]);
        const reply = await state.commit(shard, {
          op: `pending:${approvalId}:${version}`,
          guards: [{ key, version }],
          put: [{ key, value: { pending, lookAt }, expiresAt: now + OLD_SEALS_MS }],
        });
        if (reply.outcome === "ok") return true;
      }
      throw new Error(`The places of one requester were taken by others ${TRIES} times in a row.`);
    },
  };

  async function stillPending(taken: ReadonlyMap<string, number>, now: number): Promise<Map<string, number>> {
    const found = new Map((await documents.approvals([...taken.keys()])).map((approval) => [approval.approvalId, approval]));
    // A write without an approval may have reserved its place a moment ago. If its approval is never stored, the place is free again soon.
    return new Map(
      [...taken].filter(([id, until]) => {
        const approval = found.get(id);
        return approval ? approval.status === "pending" && approval.expiresAt > now : until - expiryMs + HELD_SOON_MS > now;
      }),
    );
  }
}

/** The longest time from reserving a place to holding the write, in milliseconds. */
const HELD_SOON_MS = 60_000;

/**
 * At this number of places, the list is checked for approvals that have ended. After a check, the next one happens at twice the number that was left,
 * so that checks are rare.
 */
const LOOK_AT = 16;

function lookAtIn(value: Json): number {
  const lookAt = isJsonObject(value) ? value["lookAt"] : null;
  return typeof lookAt === "number" ? lookAt : LOOK_AT;
}

function placesIn(value: Json, now: number): Map<string, number> {
  const pending = isJsonObject(value) ? value["pending"] : null;
  const places = isJsonObject(pending) ? Object.entries(pending) : [];
  return new Map(places.flatMap(([id, until]) => (typeof until === "number" && until > now ? [[id, until]] : [])));
}
