import type { Run } from "@toolbus/contracts";

/**
 * Returns true if a step of this epoch still holds the run. The end of a step removes the lease. So a step that has lost the reply to its own commit
 * does nothing more, even if it finds the run ready again.
 */
export function holds(epoch: number, run: Run): run is Run & { readonly lease: NonNullable<Run["lease"]> } {
  return run.epoch === epoch && run.status === "ready" && run.lease !== null;
}
