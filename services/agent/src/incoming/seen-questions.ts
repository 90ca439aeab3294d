import { type Call, keys, parseCallQuestions, type ToolResult } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { Stepper } from "../steps/advance.ts";
import { callOf } from "../transitions/decided.ts";
import { questionsNoted } from "../transitions/note-questions.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { onCall } from "./on-call.ts";

/**
 * Returns the snapshot with the stored questions of a sent call. The worker's hint about a question may be lost, so the agent also reads them when it
 * checks the call, and when the call ends. Throws `StoreUnavailable`.
 */
export async function withQuestions({ state }: Pick<Stepper, "state">, snapshot: Snapshot, callId: string): Promise<Snapshot> {
  const call = callOf(snapshot, callId);
  if (call?.state !== "dispatched") return snapshot;
  const { documents } = await state.read([keys.questions(call.toolset, callId)]);
  const stored = parseCallQuestions(documents[0]?.value);
  return stored.ok && stored.value.callId === callId ? { ...snapshot, questions: stored.value } : snapshot;
}

/** Returns whether the worker asked people during this call, as far as the agent or the answer knows. Most calls ask nobody, and need no read. */
export function askedPeople(call: Call | undefined, { metadata }: ToolResult): boolean {
  return metadata?.questions !== undefined || call?.questions?.some(({ ended }) => !ended) === true;
}

/** Adds the new questions of a call, and their ends, to the events of its run. Ignores a sender that does not know the call's secret. */
export async function noteQuestions(
  stepper: Pick<Stepper, "state" | "outbox" | "snapshots" | "strays" | "rules" | "transcripts">,
  { callId, proof }: { readonly callId: string; readonly proof: string },
): Promise<void> {
  await onCall(stepper, callId, async (snapshot) => {
    const call = callOf(snapshot, callId);
    if (call?.state !== "dispatched" || proof !== secretHash(call.secret)) return null;
    return questionsNoted(await withQuestions(stepper, snapshot, callId), call, stepper.rules);
  });
}
