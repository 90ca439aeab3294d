import { type AnswerRequest, type Call, callParts, keys, parseCall, parseInboxEntry, shardOf } from "@toolbus/contracts";
import { acceptAnswer } from "../accept.ts";
import { answerEntryId } from "../entry-ids.ts";
import { keyReused, refused, type Refused } from "../refused.ts";
import { findRun, type OwnRun } from "../run-access.ts";
import { type Inbound, newRequestId, type Request, TRIES } from "./inbound.ts";
import { keyHashOf } from "./request-hash.ts";
import { tooLarge } from "./text-size.ts";

export interface AnswerAccepted {
  readonly kind: "accepted";
  readonly run: OwnRun;
  /** Whether an earlier request with the same key was accepted. */
  readonly replayed: boolean;
}

/** Accepts the owner's answer to a question of a run. A question has one answer, which is the first that is accepted. */
export async function answerQuestion(
  inbound: Inbound,
  { principal, key, runId, body: { callId, text } }: Request & { readonly runId: string; readonly body: AnswerRequest },
): Promise<AnswerAccepted | Refused> {
  const { state, outbox, config } = inbound;
  const keyHash = keyHashOf(principal, key);
  const requestId = newRequestId(inbound);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const run = await findRun(state, runId, principal);
    if (run.kind === "refused") return run;
    if (run.origin.principal !== principal.id)
      return refused("forbidden", "Only the one who started a run answers its questions.", "Ask them to answer.");
    if (callParts(callId).runId !== runId)
      return refused("invalid_request", "This call belongs to another run.", "Use a callId that the run's view lists as awaited.", [
        { path: "/callId", message: `must be a call of ${runId}` },
      ]);
    const large = tooLarge(text, "The answer");
    if (large) return large;
    const { documents } = await state.read([keys.inbox(shardOf(runId), answerEntryId(callId)), keys.call(callId)]);
    const entry = parseInboxEntry(documents[0]?.value);
    if (entry.ok && entry.value.kind === "answer") {
      if (keyHash === undefined || entry.value.keyHash !== keyHash)
        return refused("not_asked", "This question has already been answered.", READ_THE_RUN);
      return entry.value.text === text ? { kind: "accepted", run, replayed: true } : keyReused();
    }
    if (run.run && run.run.endedAt !== null)
      return refused("run_ended", `The run has ended: ${run.run.status}.`, "Start a new one if it is still wanted.");
    const call = parseCall(documents[1]?.value);
    const notAsked = whyNotAsked(call.ok ? call.value : null, run.now);
    if (notAsked !== null) return refused("not_asked", notAsked, READ_THE_RUN);
    const { change, wake } = acceptAnswer({ callId, text, principal, requestId, keyHash, now: run.now }, config);
    const { outcome } = await outbox.commit(shardOf(runId), change, [wake]);
    if (outcome === "ok") return { kind: "accepted", run, replayed: false };
  }
  return refused("conflict", "The answer could not be stored.", "Repeat it.");
}

const READ_THE_RUN = "Read the run to see what it waits for.";

function whyNotAsked(call: Call | null, now: number): string | null {
  if (!call) return "The run has made no such call.";
  if (call.state === "resolved") return "This call already has its result.";
  if (call.state !== "asked") return "This call asks you nothing.";
  return call.askExpiresAt !== undefined && now >= call.askExpiresAt ? "The time to answer is over." : null;
}
