import type { LedgerRow, Transition } from "@toolbus/contracts";
import { begin, finished, released, renewed, sending } from "./ledger.ts";

type State = LedgerRow["state"];
type RowChange = `row ${State | "none"} → ${State}`;

/** Every transition of a row in a toolset's ledger: the progress of one write. */
export const ledgerTransitions: readonly Transition<RowChange>[] = [
  {
    name: "worker begin",
    by: begin,
    when: "An attempt takes the write. Its fence is one higher than that of the previous attempt.",
    changes: ["row none → begun", "row begun → begun", "row sending → sending"],
  },
  {
    name: "worker sending",
    by: sending,
    when: "The prepared value is stored and signed. This is the point of no return.",
    changes: ["row begun → sending"],
  },
  {
    name: "worker renew",
    by: renewed,
    when: "The lease is extended while the attempt continues.",
    changes: ["row begun → begun", "row sending → sending"],
  },
  {
    name: "worker release",
    by: released,
    when: "The attempt gives up for now, so that the next one need not wait for the end of the lease.",
    changes: ["row begun → begun", "row sending → sending"],
    rare: { "row begun → begun": "preparing a write must fail for a while" },
  },
  {
    name: "worker finish",
    by: finished,
    when: "The result and its receipt are stored, even if the call ends without an attempt.",
    changes: ["row none → done", "row begun → done", "row sending → done"],
  },
];
