import { callParts, keys, parseRunOrigin, type RunOrigin } from "@toolbus/contracts";
import type { SignedReader } from "@toolbus/grants";
import type { StateStore } from "@toolbus/state";
import { type ToolProblem, toolError } from "@toolbus/tool-kit";

/** Why no tool of this toolset is called before its worker takes calls. */
export const ONLY_IN_A_RUN = "it answers only within a run, whose requester the gateway has signed.";

/** The requester of the run that a call belongs to. */
export type Requester = Pick<RunOrigin, "tenant" | "principal" | "scopes" | "tools" | "runId">;

/**
 * Returns who asked for the run of a call, as the gateway signed it. No argument of a call and no field of its message can name another tenant.
 * Returns a problem for the model if there is no such origin, or if this worker cannot judge it yet. Throws `StoreUnavailable`.
 */
export async function requesterOf(
  callId: string,
  { state, origins }: { readonly state: Pick<StateStore, "read">; readonly origins: SignedReader },
): Promise<Requester | ToolProblem> {
  const { runId } = callParts(callId);
  const key = keys.runOrigin(runId);
  const { documents } = await state.read([key]);
  const [document] = documents;
  const verdict = document ? await origins.read(key, document.value) : null;
  if (verdict?.kind === "unknown_key")
    return toolError(
      "unavailable",
      "This worker does not know the gateway's key yet, so it cannot tell whose skills these are. Try again later.",
    );
  const origin = document && verdict?.kind === "genuine" ? parseRunOrigin(document.value) : null;
  if (!origin?.ok)
    return toolError("requester_unknown", "The gateway has not signed who asked for this run, so no guide or skill is shown.");
  const { tenant, principal, scopes, tools } = origin.value;
  return { tenant, principal, scopes, runId, ...(tools ? { tools } : {}) };
}
