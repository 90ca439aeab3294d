import type { Disposition } from "@toolbus/bus";
import type { ApprovalRollback, Message } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { isShardOf } from "./approval-documents.ts";
import type { Eras } from "./eras.ts";

/**
 * The handler of the queue on which processes tell that the store lost writes. It believes whoever is on the bus: what they can get by a lie is a
 * raised era and held shards, no more than one a shard and minute.
 */
export function handleRollbacks({ state, eras }: { readonly state: StateStore; readonly eras: Pick<Eras, "lost"> }) {
  return async ({ source }: Message, { losses }: ApprovalRollback): Promise<Disposition> => {
    if (!losses.every(({ shard }) => isShardOf(state, shard)))
      return { kind: "dead-letter", reason: "a loss names a shard that this store does not have" };
    const waitMs = await eras.lost(losses, source.slice(0, LONGEST_SOURCE));
    return waitMs === 0 ? { kind: "ack" } : { kind: "retry", after: waitMs, reason: "the era was raised for this shard a moment ago" };
  };
}

const LONGEST_SOURCE = 100;
