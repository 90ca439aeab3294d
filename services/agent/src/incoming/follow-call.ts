import { callParts, keys, parseCall, parseConversationState, parseRun, shardOf } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { parsed } from "../documents/load.ts";
import type { Stepper } from "../steps/advance.ts";
import { type Followed, followWrite } from "../transitions/follow.ts";
import { ledgerOf } from "./seen-ledger.ts";

const TRIES = 20;

/**
 * Checks whether the ledger now shows the outcome of a write that ended as unknown. Returns false if the agent does not follow the call. The call
 * then needs no timer. Throws `StoreUnavailable`.
 */
export async function followCall(
  { state, outbox, proofs, rules, log }: Pick<Stepper, "state" | "outbox" | "proofs" | "rules" | "log">,
  callId: string,
): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const followed = await loadFollowed(state, callId);
    if (!followed) return false;
    const change = followWrite(followed, await ledgerOf({ state, proofs }, followed.call.value), rules);
    if (!change) return false;
    const reply = await outbox.commit(shardOf(callId), change);
    if (reply.outcome !== "ok") continue;
    if (change.op.startsWith("settle:") && !followed.call.value.settled) {
      const { runId, toolName: tool } = followed.call.value;
      log.info({ runId, callId, tool }, "the outcome of a write that was unknown is known now");
    }
    return true;
  }
  // When the agent claimed the timer, it set the timer again.
  return true;
}

async function loadFollowed(state: StateStore, callId: string): Promise<Followed | null> {
  const { runId } = callParts(callId);
  const named = [keys.call(callId), keys.run(runId)];
  const { now, documents } = await state.read(named);
  const call = parsed(documents[0], parseCall, keys.call(callId));
  const run = parsed(documents[1], parseRun, keys.run(runId));
  if (!call || !run || call.value.followUntil === undefined) return null;
  const key = keys.conversation(call.value.conversationId);
  const reply = await state.read([key]);
  return { now, call, run, conversation: parsed(reply.documents[0], parseConversationState, key) };
}
