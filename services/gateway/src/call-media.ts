import { callParts, ID_PATTERNS, keys, type MediaRef, parseCall } from "@toolbus/contracts";
import type { Principal } from "@toolbus/runtime";
import { blobOrNull, type StateStore } from "@toolbus/state";
import { refused, type Refused } from "./refused.ts";
import { findRun } from "./run-access.ts";

/** One picture, sound or file of a call's result. */
export interface FoundMedia {
  readonly kind: "found";
  readonly media: MediaRef;
  readonly bytes: Uint8Array;
}

/**
 * Returns bytes of a call's result, if the principal may see the run of the call. Only bytes that the result itself names are returned, because all
 * blobs of the store share one space.
 */
export async function callMedia(
  state: StateStore,
  { callId, blob, principal }: { readonly callId: string; readonly blob: string; readonly principal: Principal },
): Promise<FoundMedia | Refused> {
  if (!CALL.test(callId)) return noMedia(callId);
  const run = await findRun(state, callParts(callId).runId, principal);
  if (run.kind === "refused") return run.code === "not_found" ? noMedia(callId) : run;
  const { documents } = await state.read([keys.call(callId)]);
  const call = parseCall(documents[0]?.value);
  const media = call.ok ? call.value.result?.media?.find((one) => one.blob === blob) : undefined;
  if (!media) return noMedia(callId);
  const bytes = await blobOrNull(state, blob);
  if (bytes?.length !== media.bytes)
    return refused("not_found", "The store has lost these bytes.", "Restore the store from a backup, or start a new run.");
  return { kind: "found", media, bytes };
}

const CALL = new RegExp(ID_PATTERNS.call);

function noMedia(callId: string): Refused {
  return refused(
    "not_found",
    `There is no such picture, sound or file of the call "${callId.slice(0, 80)}" for this key.`,
    "Use the id of a call of your run, and a blob that its event `call.resolved` lists.",
  );
}
