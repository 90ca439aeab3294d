import { keys, type LedgerRow } from "@toolbus/contracts";
import { type Changed, type Facts, familyOf } from "./facts.ts";
import { same } from "./same.ts";

interface Moment {
  readonly at: number;
  /** The largest error of a process's estimate of the store's time, in milliseconds. */
  readonly slackMs: number;
}

const ORDER = ["begun", "sending", "done"] as const;

/**
 * Checks the invariants I5 and I6 (docs/mechanics.md) for the workers' ledgers, after one commit. A row only moves forward, and a done row never
 * changes.
 */
export function brokenByLedger(facts: Facts, changed: readonly Changed[], moment: Moment): readonly string[] {
  return changed
    .filter(({ key }) => familyOf(key).startsWith("ledger."))
    .flatMap(({ key, before, after }) =>
      rowBroken(facts, key, before as unknown as LedgerRow | undefined, after as unknown as LedgerRow | undefined, moment),
    );
}

function rowBroken(
  facts: Facts,
  key: string,
  before: LedgerRow | undefined,
  after: LedgerRow | undefined,
  moment: Moment,
): readonly string[] {
  if (!after) return [`I6: the ledger row ${key} was removed`];
  if (!before) return after.state === "sending" ? [`I6: the ledger row ${key} began as sending`] : [];
  const broken: string[] = [];
  if (before.state === "begun" && after.state === "sending" && facts.documents.has(keys.stop(after.callId)))
    broken.push(`I6: ${key} is sent although it was stopped`);
  if (before.state === "done" && !same(before, after)) broken.push(`I6: the ledger row ${key} changed after it was done`);
  if (ORDER.indexOf(after.state) < ORDER.indexOf(before.state))
    broken.push(`I6: the ledger row ${key} went from ${before.state} back to ${after.state}`);
  if (after.fence < before.fence) broken.push(`I5: the fence of ${key} fell from ${before.fence} to ${after.fence}`);
  if (after.fence === before.fence && before.lease && after.lease && before.lease.by !== after.lease.by)
    broken.push(`I5: two attempts at ${key} have the fence ${after.fence}`);
  // The broker redelivers the message of an attempt only when its worker is dead.
  if (
    after.fence > before.fence &&
    before.lease &&
    after.lease &&
    before.lease.until > moment.at + moment.slackMs &&
    after.lease.by !== before.lease.by
  )
    broken.push(`I5: attempt ${after.fence} at ${key} took a lease that had ${before.lease.until - moment.at} ms left`);
  if (after.argsHash !== before.argsHash || after.toolHash !== before.toolHash)
    broken.push(`I6: the ledger row ${key} is now for another write`);
  if (before.state === "sending" && after.state === "sending" && !same(before.prepared, after.prepared))
    broken.push(`I6: the prepared value of ${key} has changed`);
  return broken;
}
