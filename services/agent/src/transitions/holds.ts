import type { Run } from "@toolbus/contracts";

/**
 * Whether a step of this epoch still holds the run. The end of a step removes the lease. So a step that did not learn of its own commit, and finds the run
 * ready again, knows that it has ended and does nothing more.
 */
export function holds(epoch: number, run: Run): run is Run & { readonly lease: NonNullable<Run["lease"]> } {
  return run.epoch === epoch && run.status === "ready" && run.lease !== null;
}
