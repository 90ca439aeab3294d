import { approvalCallId, callParts, type Json, keys, type Message, type Run, shardOf } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import type { Facts } from "./facts.ts";

/** Checks the invariant I8 (docs/mechanics.md) after one commit: every message in the outbox is about a document that exists. */
export function brokenByOutbox(facts: Facts, change: Change): readonly string[] {
  return (change.outbox ?? []).flatMap(({ service, id, message }) => {
    const about = aboutWhat(service, message);
    const first = sentFirst(id);
    const run = first === null ? undefined : (facts.documents.get(keys.run(callParts(first).runId)) as unknown as Run | undefined);
    if (run?.cancel) return [`G2: the run ${run.runId} is cancelled and sends ${id}`];
    return about.some((key) => facts.documents.has(key))
      ? []
      : [`I8: the message ${id} of ${service} is about something that does not exist`];
  });
}

/** Returns the call that a message sends for the first time, or null for any other message. */
function sentFirst(messageId: string): string | null {
  return /^(rn_.+)#1$/.exec(messageId)?.[1] ?? null;
}

function aboutWhat(service: string, row: Json): readonly string[] {
  if (service === "approvals") {
    const { approvalId } = row as { readonly approvalId: string };
    return [keys.approval(approvalId), keys.call(approvalCallId(approvalId))];
  }
  const message = row as unknown as Message;
  if (message.correlationId !== undefined) return [keys.call(message.correlationId)];
  const { runId, entryId } = JSON.parse(message.body) as { readonly runId: string; readonly entryId?: string };
  return [entryId === undefined ? keys.run(runId) : keys.inbox(shardOf(runId), entryId)];
}
