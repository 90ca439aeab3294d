import type { Place, Places } from "@toolbus/bus";
import type { Change } from "@toolbus/state";
import { snapshotAfter } from "../documents/snapshots.ts";
import { acquire } from "../transitions/acquire.ts";
import { mergeChanges, PENDING, withoutWake } from "../transitions/merge-changes.ts";
import type { Rules } from "../transitions/rules.ts";
import type { Snapshot } from "../transitions/snapshot.ts";

/** A change that makes a run ready and acquires it at the same time. */
export interface Taking {
  readonly change: Change;
  /** The place of the step that follows. Whoever does not begin the step must leave it. */
  readonly place: Place;
}

/**
 * Adds the acquisition of the run to a change that makes the run ready, so that both are one commit and nobody has to be woken. `name` names the
 * result. `by` claims the run, as in `acquire`. Returns null if the change does not make the run ready, or if this process may begin no further step
 * now. The change then stays as it is, and its wake reaches any agent.
 */
export function takingRun(
  { rules, places }: { readonly rules: Rules; readonly places: Places },
  snapshot: Snapshot,
  made: Change,
  { name, by }: { readonly name: string; readonly by: string },
): Taking | null {
  const after = snapshotAfter(snapshot, made, { now: snapshot.now, commit: PENDING });
  if (after?.run.value.status !== "ready") return null;
  const got = acquire(after, { by, redelivered: false }, rules);
  const place = got.kind === "acquired" ? places.tryTake() : null;
  if (got.kind !== "acquired" || !place) return null;
  return { change: withoutWake(mergeChanges(name, made, got.change), after.run.value.runId), place };
}
