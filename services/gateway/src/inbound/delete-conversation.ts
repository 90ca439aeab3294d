import { type DeletedConversation, isConversationId, keys, newRunId, parseConversationOrigin, parseRun, shardOf } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { acceptDeletion } from "../accept.ts";
import { findConversation, type OwnConversation } from "../conversation-access.ts";
import { isShardOf } from "../own-shard.ts";
import { refused, type Refused } from "../refused.ts";
import { type Inbound, newRequestId, TRIES } from "./inbound.ts";

export interface Deleted {
  readonly kind: "deleted";
  readonly conversationId: string;
  readonly deletedAt: number;
}

/**
 * After this time, a message that no agent has taken no longer blocks a deletion. If an agent takes the message later, its run ends like that of a
 * message to a deleted conversation.
 */
const NOT_YET_TAKEN_MS = 86_400_000;

/** Deletes a conversation of the principal in which no run is active or waits. A repeat gets the first answer. */
export async function deleteConversation(
  inbound: Inbound,
  { principal, conversationId }: { readonly principal: Principal; readonly conversationId: string },
): Promise<Deleted | Refused> {
  const { state, outbox, config, random, clock } = inbound;
  const requestId = newRequestId(inbound);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const before = await deletedBefore(inbound, principal, conversationId);
    if (before) return before;
    const found = await findConversation(state, conversationId, principal);
    if (found.kind === "refused") return found;
    const { origin, version, now } = found;
    if (origin.owner !== principal.id) return refused("forbidden", "Only its owner deletes a conversation.", "Ask its owner to do it.");
    const busy = await activeRun(inbound, found);
    if (busy !== null) return isBusy(busy);
    const runId = newRunId({ now: clock(), random: random(32) }, conversationId);
    const { change, wake } = acceptDeletion({ now, conversation: { version, value: origin }, runId, requestId }, config);
    const { outcome } = await outbox.commit(shardOf(conversationId), change, [wake]);
    if (outcome === "ok") return { kind: "deleted", conversationId, deletedAt: now };
    // A message was accepted first, so the loop reads again.
  }
  return refused("conflict", "Others kept writing to this conversation; nothing was deleted.", "Repeat the request.");
}

async function deletedBefore(
  { state }: Pick<Inbound, "state">,
  { tenant, id }: Principal,
  conversationId: string,
): Promise<Deleted | null> {
  if (!isConversationId(conversationId) || !isShardOf(state, conversationId)) return null;
  const { documents } = await state.read([keys.conversationOrigin(conversationId)]);
  const origin = parseConversationOrigin(documents[0]?.value);
  if (!origin.ok || origin.value.tenant !== tenant || origin.value.owner !== id || origin.value.deletedAt === undefined) return null;
  return { kind: "deleted", conversationId, deletedAt: origin.value.deletedAt };
}

/** Returns the run that is active, that waits, or that was accepted but not taken. Returns null if there is none. */
async function activeRun({ state: store }: Pick<Inbound, "state">, { origin, state, now }: OwnConversation): Promise<string | null> {
  const known = state?.activeRun ?? state?.queue[0]?.runId ?? null;
  const { lastRun } = origin;
  if (known !== null || lastRun === undefined) return known;
  const { documents } = await store.read([keys.run(lastRun), keys.inbox(shardOf(lastRun), lastRun)]);
  const [document, inbox] = documents;
  const run = parseRun(document?.value);
  if (run.ok) return run.value.endedAt === null ? lastRun : null;
  const acceptedAt = inbox === null || inbox === undefined ? null : (inbox.value as { readonly acceptedAt?: unknown }).acceptedAt;
  return typeof acceptedAt === "number" && now - acceptedAt < NOT_YET_TAKEN_MS ? lastRun : null;
}

function isBusy(runId: string): Refused {
  return refused(
    "conversation_busy",
    `The run ${runId} is active in this conversation, or waits for its turn.`,
    `Delete the conversation when it has ended; POST /v1/runs/${runId}/cancel ends it.`,
  );
}

/** Returns what the owner sees: the data that is removed, and the data that is kept with the reason. */
export function deletedView({ conversationId, deletedAt }: Deleted): DeletedConversation {
  return {
    conversationId,
    deletedAt,
    removed: [
      "its messages, and their summary for the model",
      "what reads of its runs returned; short results, reasons of failures, long texts, and reads that were not the last of their round are kept",
      "the long results in its working memory",
    ],
    kept: [
      {
        what: "its runs, with their calls and events",
        why: "They record what was done to real systems, and for whom. By default, each is removed within 31 days of its end.",
      },
      {
        what: "the bytes of long texts",
        why: "They are stored once for everybody with the same text; nothing here refers to them any more.",
      },
      {
        what: "approvals with the beginning of the message that asked, the ledger of its writes and the audit log",
        why: "They prove who allowed which write, and keep a write from being done twice.",
      },
    ],
  };
}
