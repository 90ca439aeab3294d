import { type Call, keys, type LedgerRow, mayBeForgotten, parseLedgerRow, parseStop } from "@toolbus/contracts";
import type { Stepper } from "../steps/advance.ts";
import { callOf } from "../transitions/decided.ts";
import { TOOL_CHANGED } from "../transitions/redispatch.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { parsed } from "../documents/load.ts";

export interface SeenLedger {
  /** Null if the write never began, as far as the ledger knows. */
  readonly row: LedgerRow | null;
  /** True if no known worker signed the row, or the part of it that matters. The agent must not act on the row, and the write may have happened. */
  readonly unproven: boolean;
  /** True if the store has lost commits that may have belonged to this call. A write that is missing in the ledger may then have happened. */
  readonly forgetful: boolean;
  /** True if the agent stopped the write because its workers have another definition of the tool (see `grantStale`). */
  readonly changed: boolean;
}

/**
 * Reads what the worker's ledger says about a sent write, and whether a worker wrote the row. Reads the ledger after the snapshot, so a write that
 * begins later sees a stop of that snapshot.
 */
export async function seenLedger(
  { state, proofs }: Pick<Stepper, "state" | "proofs">,
  snapshot: Snapshot,
  callId: string,
): Promise<SeenLedger> {
  const call = callOf(snapshot, callId);
  return call ? ledgerOf({ state, proofs }, call) : NOTHING;
}

const NOTHING: SeenLedger = { row: null, unproven: false, forgetful: false, changed: false };

/** Reads the ledger of this call, as `seenLedger` does. */
export async function ledgerOf({ state, proofs }: Pick<Stepper, "state" | "proofs">, call: Call): Promise<SeenLedger> {
  if (call.kind !== "write" || call.dispatch === 0) return NOTHING;
  const { callId } = call;
  const key = keys.ledger(call.toolset, callId);
  const { now, documents } = await state.read([key, keys.era(), keys.stop(callId)]);
  const era = await proofs.era(call, documents[1]?.value);
  const row = parsed(documents[0], parseLedgerRow, key)?.value ?? null;
  return {
    row,
    unproven: row !== null && !(await proofs.written(call, row)),
    forgetful: era === "unproven" || mayBeForgotten(era, callId, now),
    changed: parsed(documents[2], parseStop, keys.stop(callId))?.value.reason === TOOL_CHANGED,
  };
}
