import { keys, type LedgerRow, parseLedgerRow } from "@toolbus/contracts";
import type { StateStore } from "@toolbus/state";
import { callOf } from "./decided.ts";
import type { Snapshot } from "./draft.ts";
import { parsed } from "./load.ts";

/** The worker's row of a write that was sent, null when it never began. Read after the snapshot it is judged with: a stop in that snapshot is seen by every later begin. */
export async function ledgerRow(state: StateStore, snapshot: Snapshot, callId: string): Promise<LedgerRow | null> {
  const call = callOf(snapshot, callId);
  if (call?.kind !== "write" || call.dispatch === 0) return null;
  const key = keys.ledger(call.toolset, callId);
  const { documents } = await state.read([key]);
  return parsed(documents[0], parseLedgerRow, key)?.value ?? null;
}
