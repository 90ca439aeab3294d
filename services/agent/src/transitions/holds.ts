import type { Run } from "@toolbus/contracts";

/**
 * Whether a step of this epoch still holds the run. The end of a step takes the lease away, so a step that did not hear of its own commit, and finds the run
 * ready again, knows that it has ended: what it has to say is said.
 */
export function holds(epoch: number, run: Run): run is Run & { readonly lease: NonNullable<Run["lease"]> } {
  return run.epoch === epoch && run.status === "ready" && run.lease !== null;
}
