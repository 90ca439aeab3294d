import { keys, parseInboxEntry, shardOf } from "@toolbus/contracts";
import { acceptCancel } from "../accept.ts";
import { cancelEntryId } from "../entry-ids.ts";
import { refused, type Refused } from "../refused.ts";
import { findRun, type OwnRun } from "../run-access.ts";
import { type Inbound, newRequestId, type Request, TRIES } from "./inbound.ts";
import { keyHashOf } from "./request-hash.ts";

export interface CancelAccepted {
  readonly kind: "accepted";
  readonly run: OwnRun;
  /** True if the run was already cancelled. Then nothing is left to do. */
  readonly over: boolean;
  /** Whether an earlier request with the same key was accepted. */
  readonly replayed: boolean;
}

/**
 * Accepts the request of a run's owner, or of an operator, to cancel the run. A run has only one such request, whoever sends it and however often.
 */
export async function cancelRun(
  inbound: Inbound,
  { principal, key, runId }: Request & { readonly runId: string },
): Promise<CancelAccepted | Refused> {
  const { state, outbox, config } = inbound;
  const keyHash = keyHashOf(principal, key);
  const requestId = newRequestId(inbound);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const run = await findRun(state, runId, principal);
    if (run.kind === "refused") return run;
    const { documents } = await state.read([keys.inbox(shardOf(runId), cancelEntryId(runId))]);
    const entry = parseInboxEntry(documents[0]?.value);
    const asked = entry.ok && entry.value.kind === "cancel" ? entry.value : null;
    if (asked && keyHash !== undefined && asked.keyHash === keyHash) return { kind: "accepted", run, over: false, replayed: true };
    if (run.run && run.run.endedAt !== null) {
      if (run.run.status === "cancelled") return { kind: "accepted", run, over: true, replayed: false };
      return refused("run_ended", `The run has already ended: ${run.run.status}.`, `Read it at /v1/runs/${runId}.`);
    }
    if (asked) return { kind: "accepted", run, over: false, replayed: false };
    const { change, wake } = acceptCancel({ runId, principal, requestId, keyHash, now: run.now }, config);
    const { outcome } = await outbox.commit(shardOf(runId), change, [wake]);
    if (outcome === "ok") return { kind: "accepted", run, over: false, replayed: false };
  }
  return refused("conflict", "The cancel could not be stored.", "Repeat it.");
}
