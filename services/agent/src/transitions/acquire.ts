import type { Lease, Run } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import { holds } from "./holds.ts";
import type { Snapshot } from "./snapshot.ts";
import { waitsForProvider } from "./model-retry.ts";
import type { Rules } from "./rules.ts";

/** The message or the timer that claims the run. A redelivery of the message that holds the lease proves that the holder is gone. */
export interface Claimant {
  readonly by: string;
  readonly redelivered: boolean;
}

export type Acquired =
  | { readonly kind: "acquired"; readonly change: Change; readonly run: Run }
  | { readonly kind: "not-ready" }
  | { readonly kind: "leased"; readonly until: number };

/** Acquires the run for one step. The epoch rises, so an earlier holder can no longer commit anything. */
export function acquire(snapshot: Snapshot, claimant: Claimant, rules: Rules): Acquired {
  const { run, now } = { run: snapshot.run.value, now: snapshot.now };
  if (run.status !== "ready" || waitsForProvider(run, now)) return { kind: "not-ready" };
  if (run.lease && leaseLives(run.lease, now, rules.ownersDeadBefore) && !(claimant.redelivered && run.lease.by === claimant.by)) {
    return { kind: "leased", until: run.lease.until };
  }
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  const { RUN_LEASE_MS } = rules.config;
  draft.setRun({
    epoch: run.epoch + 1,
    attempts: run.attempts + 1,
    lease: { by: claimant.by, since: now, until: now + RUN_LEASE_MS },
    stepStartedAt: now,
  });
  draft.runTimer(RUN_LEASE_MS + 1);
  return { kind: "acquired", change: draft.build(`acquire:${run.runId}:${run.epoch + 1}`), run: draft.run };
}

/** Extends the lease of this epoch. Returns null if this epoch no longer holds the run. The step must then stop. */
export function renew(snapshot: Snapshot, epoch: number, beat: number, rules: Rules): Change | null {
  const run = snapshot.run.value;
  if (!holds(epoch, run)) return null;
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  draft.setRun({ lease: { ...run.lease, until: snapshot.now + rules.config.RUN_LEASE_MS } });
  draft.runTimer(rules.config.RUN_LEASE_MS + 1);
  return draft.build(`renew:${run.runId}:${epoch}.${beat}`);
}

/**
 * Gives the run back after a step that failed temporarily. The run is due again after `dueIn` milliseconds. The time of the step counts as active
 * time. Returns null if this epoch no longer holds the run.
 */
export function release(snapshot: Snapshot, epoch: number, dueIn: number, rules: Rules): Change | null {
  const run = snapshot.run.value;
  if (!holds(epoch, run)) return null;
  const draft = new Draft({ ...snapshot, calls: [] }, rules);
  draft.setRun({ lease: null, activeMs: draft.activeMs, stepStartedAt: draft.now });
  draft.runTimer(dueIn);
  return draft.build(`release:${run.runId}:${epoch}`);
}

/** Returns true while the holder may still act. If the process that holds the store was started after the lease began, the holder is dead. */
export function leaseLives(lease: Lease, now: number, ownersDeadBefore: number): boolean {
  return lease.until > now && lease.since >= ownersDeadBefore;
}
