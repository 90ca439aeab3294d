import type { LedgerRow, Transition } from "@toolbus/contracts";
import { begin, drifted, finished, released, renewed, sending } from "./ledger.ts";

type State = LedgerRow["state"];
type RowChange = `row ${State | "none"} → ${State}`;

/** Every transition of a row in a toolset's ledger. A row is the record of one write. */
export const ledgerTransitions: readonly Transition<RowChange>[] = [
  {
    name: "worker begin",
    by: begin,
    when: "A worker begins an attempt at the write. The attempt's fence is one higher than the fence of the previous attempt.",
    changes: ["row none → begun", "row begun → begun", "row sending → sending"],
  },
  {
    name: "worker sending",
    by: sending,
    when: "The worker stores and signs the prepared value. This is the point of no return.",
    changes: ["row begun → sending"],
  },
  {
    name: "worker renew",
    by: renewed,
    when: "The worker extends its lease while the attempt runs.",
    changes: ["row begun → begun", "row sending → sending"],
  },
  {
    name: "worker release",
    by: released,
    when: "The attempt gives up for now. It returns its lease, so the next attempt need not wait for the lease's end.",
    changes: ["row begun → begun", "row sending → sending"],
    rare: { "row begun → begun": "preparing a write has to fail for a temporary reason" },
  },
  {
    name: "worker drifted",
    by: drifted,
    when: "The target has changed since people approved the plan. The grant is void, and people see the new plan.",
    changes: ["row begun → begun"],
  },
  {
    name: "worker finish",
    by: finished,
    when: "The worker stores the result and its receipt, even if the call ends without an attempt.",
    changes: ["row none → done", "row begun → done", "row sending → done"],
  },
];
