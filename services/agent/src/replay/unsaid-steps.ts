// What happened between two events of a log, and no event says. The replay does it before the later event.
import type { NumberedRunEvent, RunRecord } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { callDecided, callOf } from "../transitions/decided.ts";
import { grantStale } from "../transitions/redispatch.ts";
import { renewalOf } from "./recorded-decision.ts";
import type { ReplayWorld } from "./replay-world.ts";
import { seedLastSummaries } from "./seed-context.ts";

/** A run without an open call ends as soon as it is cancelled, so it needs its whole usage before. */
export async function beforeCancelled(world: ReplayWorld, record: RunRecord, { sequence }: NumberedRunEvent): Promise<void> {
  const later = record.events.filter((event) => event.sequence > sequence);
  const end = later.find((event) => event.type === "run.cancelled");
  if (end && !later.some(({ type }) => type === "turn")) await seedLastSummaries(world, record, end);
}

/**
 * If a call that people are asked about is held once more, approvals had renewed the grant of the earlier decision in between, and the write was sent with it.
 * No event says so.
 */
export async function renewedSince(world: ReplayWorld, record: RunRecord, callId: string): Promise<void> {
  const { runId } = record.run;
  const snapshot = await world.snapshot(runId);
  const call = callOf(snapshot, callId);
  const recorded = record.calls.find((one) => one.callId === callId);
  const renewed = call?.state === "held" && recorded ? renewalOf(call, recorded) : null;
  if (renewed) await world.commit(runId, callDecided(snapshot, renewed.decided, renewed.grant, world.rules));
}

/** If the write was sent, its worker found that its grant no longer held, and the agent asked for another one. No event says so. */
export async function askAgain(world: ReplayWorld, runId: string, callId: string): Promise<void> {
  const snapshot = await world.snapshot(runId);
  const call = callOf(snapshot, callId);
  if (call?.state === "dispatched")
    await world.commit(runId, grantStale(snapshot, { callId, secretHash: secretHash(call.secret), toolHash: null }, world.rules));
}
