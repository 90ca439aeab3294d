import type { Disposition } from "@toolbus/bus";
import { type ApprovalRollback, HOME_SHARD, type Message } from "@toolbus/contracts";
import { type TrustedKeys, verifySender } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { isShardOf } from "../sealed/approval-documents.ts";
import type { Eras } from "./eras.ts";
import type { RecordSecurityEvent } from "../sealed/security.ts";

export interface RollbacksOptions {
  readonly state: Pick<StateStore, "shards">;
  readonly eras: Pick<Eras, "lost">;
  readonly trusted: TrustedKeys;
  readonly security: RecordSecurityEvent;
}

/**
 * Returns the handler of the queue on which processes report that the store lost writes. The handler believes the services whose keys are trusted,
 * but only up to a limit. A compromised service that sends false reports can raise the era and hold shards only a few times an hour.
 */
export function handleRollbacks({ state, eras, trusted, security }: RollbacksOptions) {
  return async (message: Message, { losses }: ApprovalRollback): Promise<Disposition> => {
    const sender = await verifySender(message, trusted);
    if (sender.kind !== "genuine") {
      const by = message.source.slice(0, LONGEST_SOURCE);
      await security(HOME_SHARD, {
        kind: "message_refused",
        by,
        details: { topic: message.topic, why: sender.kind, detail: sender.detail },
      });
      return { kind: "ack" };
    }
    if (!losses.every(({ shard }) => isShardOf(state, shard)))
      return { kind: "dead-letter", reason: "a loss names a shard that this store does not have" };
    const { waitMs, refused } = await eras.lost(losses, sender.service);
    if (refused.length > 0)
      await security(HOME_SHARD, {
        kind: "message_refused",
        by: sender.service,
        details: { topic: message.topic, why: "too_often", shards: [...refused] },
      });
    return waitMs === 0 ? { kind: "ack" } : { kind: "retry", after: waitMs, reason: "the era was raised for this shard a moment ago" };
  };
}

const LONGEST_SOURCE = 100;
