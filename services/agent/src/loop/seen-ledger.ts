import { keys, type LedgerRow, mayBeForgotten, parseEra, parseLedgerRow } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { callOf } from "./decided.ts";
import type { Snapshot } from "./draft.ts";
import { parsed } from "./load.ts";

export interface SeenLedger {
  /** Null when the write never began, as far as the ledger knows. */
  readonly row: LedgerRow | null;
  /** The store has lost writes that may have been of this call: what the ledger does not know may have happened. */
  readonly forgetful: boolean;
}

/** What the worker's ledger says of a write that was sent. Read after the snapshot it is judged with: a stop in that snapshot is seen by every later begin. */
export async function seenLedger(state: StateStore, snapshot: Snapshot, callId: string): Promise<SeenLedger> {
  const call = callOf(snapshot, callId);
  if (call?.kind !== "write" || call.dispatch === 0) return { row: null, forgetful: false };
  const key = keys.ledger(call.toolset, callId);
  const { now, documents } = await state.read([key, keys.era()]);
  const era = parsed(documents[1], parseEra, keys.era())?.value ?? null;
  return { row: parsed(documents[0], parseLedgerRow, key)?.value ?? null, forgetful: mayBeForgotten(era, callId, now) };
}
