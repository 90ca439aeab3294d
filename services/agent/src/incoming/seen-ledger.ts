import { type Call, keys, type LedgerRow, mayBeForgotten, parseLedgerRow } from "@toolbus/contracts";
import type { Stepper } from "../steps/advance.ts";
import { callOf } from "../transitions/decided.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { parsed } from "../documents/load.ts";

export interface SeenLedger {
  /** Null when the write never began, as far as the ledger knows. */
  readonly row: LedgerRow | null;
  /** The row, or the part of it that counts, has no known author: nothing in it may be acted on, and what it hides may have happened. */
  readonly unproven: boolean;
  /** The store has lost writes that may have belonged to this call: a write that the ledger does not know may have happened. */
  readonly forgetful: boolean;
}

/**
 * What the worker's ledger says about a write that was sent, and whether a worker wrote it. It is read after the snapshot it is judged with: every later
 * begin sees a stop in that snapshot.
 */
export async function seenLedger(
  { state, proofs }: Pick<Stepper, "state" | "proofs">,
  snapshot: Snapshot,
  callId: string,
): Promise<SeenLedger> {
  const call = callOf(snapshot, callId);
  return call ? ledgerOf({ state, proofs }, call) : NOTHING;
}

const NOTHING: SeenLedger = { row: null, unproven: false, forgetful: false };

/** The same for a call that is at hand. */
export async function ledgerOf({ state, proofs }: Pick<Stepper, "state" | "proofs">, call: Call): Promise<SeenLedger> {
  if (call.kind !== "write" || call.dispatch === 0) return NOTHING;
  const { callId } = call;
  const key = keys.ledger(call.toolset, callId);
  const { now, documents } = await state.read([key, keys.era()]);
  const era = await proofs.era(call, documents[1]?.value);
  const row = parsed(documents[0], parseLedgerRow, key)?.value ?? null;
  return {
    row,
    unproven: row !== null && !(await proofs.written(call, row)),
    forgetful: era === "unproven" || mayBeForgotten(era, callId, now),
  };
}
