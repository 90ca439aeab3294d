import type { Idempotency, Json, LedgerRow, ToolResult } from "@toolbus/contracts";

/**
 * What a worker did for one write, as pure transitions (docs/mechanics.md#the-ledger). A row only ever goes forwards:
 *
 *     none ──begin──▶ begun ──sending──▶ sending ──finish──▶ done
 *                       └── stop, or prepare failed ──────────▲
 *
 * Up to `begun` nothing has happened outside. From `sending` on something may have happened, and what a second attempt may do follows from the
 * tool's idempotency. Each attempt has a fence, higher than the one before; whoever lost the fence can commit nothing any more.
 */
export interface LedgerCall {
  readonly callId: string;
  readonly toolName: string;
  readonly toolHash: string;
  readonly argsHash: string;
  /** The approval whose grant allows it. */
  readonly jti: string;
}

export interface BeginInput {
  readonly call: LedgerCall;
  readonly row: LedgerRow | null;
  /** The store's clock. */
  readonly now: number;
  /** The id of the requesting message. */
  readonly by: string;
  /** The broker says that it delivered this message before. */
  readonly redelivered: boolean;
  /** `stop:<callId>` exists. */
  readonly stopped: boolean;
  /** The tool's feature flag is off here. */
  readonly switchedOff: boolean;
  /** The shard has lost writes: a missing row does not prove that nothing was sent. */
  readonly held: boolean;
  readonly ownersDeadBefore: number;
  readonly leaseMs: number;
  readonly idempotency: Idempotency;
  readonly timeoutMs: number;
  /** If the row says that something was sent, or done, it has the signature of its toolset's workers. */
  readonly proven: boolean;
  /** This process sent the call before. */
  readonly sentHere: boolean;
  /** Workers went down while they ran it: no attempt begins any more. */
  readonly crashed: boolean;
}

/** How a call ends without an attempt. */
export type EndCode = "cancelled" | "tool_disabled" | "held" | "worker_crashed" | "outcome_unknown";

export type BeginDecision =
  /** Another call's arguments or tool under this id: no honest sender does that. */
  | { readonly kind: "conflict"; readonly field: "arguments" | "tool" }
  /** It says that it is done, and no worker of the toolset wrote that: nothing may be answered or run on it. */
  | { readonly kind: "unproven" }
  /** Done before: its result again. */
  | { readonly kind: "repeat"; readonly result: ToolResult; readonly receipt?: string }
  /** Another attempt holds the lease for so long. */
  | { readonly kind: "busy"; readonly forMs: number }
  /** Ends without another attempt. */
  | { readonly kind: "end"; readonly row: LedgerRow; readonly code: EndCode }
  /** Prepare and run. Nothing has been sent. */
  | { readonly kind: "run"; readonly row: LedgerRow }
  /** Something may have been sent: run the stored value again with the same key, or ask the target. */
  | { readonly kind: "continue" | "reconcile"; readonly row: LedgerRow; readonly prepared: StoredValue };

/** A prepared value in its row, or the blob that holds a large one. */
export type StoredValue = { readonly value: Json } | { readonly blob: string };

/** What to do with a requested write at this moment. Decisions with a row take effect when that row is committed. */
export function begin(input: BeginInput): BeginDecision {
  const { call, row, stopped, switchedOff, held, idempotency, sentHere } = input;
  if (row && row.argsHash !== call.argsHash) return { kind: "conflict", field: "arguments" };
  if (row && (row.toolHash !== call.toolHash || row.toolName !== call.toolName)) return { kind: "conflict", field: "tool" };
  if (row?.state === "done" && (!input.proven || !row.result)) return { kind: "unproven" };
  if (row?.state === "done" && row.result)
    return { kind: "repeat", result: row.result, ...(row.receipt === undefined ? {} : { receipt: row.receipt }) };
  const busyFor = row ? busyMs(input, row) : 0;
  if (busyFor > 0) return { kind: "busy", forMs: busyFor };
  const taken = take(input);
  if (input.crashed)
    return { kind: "end", row: taken, code: row?.state === "sending" || sentHere || held ? "outcome_unknown" : "worker_crashed" };
  if (row?.state === "sending") return again(input, row, taken);
  // Only a key lets the target distinguish a second try from the first if the ledger has forgotten the first.
  if (held && idempotency.mode !== "key") return { kind: "end", row: taken, code: "held" };
  // The row has lost what this process did. Only a key lets the target distinguish a second try from the first.
  if (sentHere && (stopped || switchedOff || idempotency.mode !== "key")) return { kind: "end", row: taken, code: "outcome_unknown" };
  if (stopped) return { kind: "end", row: taken, code: "cancelled" };
  // An end in the ledger, so that no other worker, whose flags may differ for a moment, runs a call that was answered as refused.
  return switchedOff ? { kind: "end", row: taken, code: "tool_disabled" } : { kind: "run", row: taken };
}

/** The point of no return: the row with what is about to be sent. */
export function sending(
  row: LedgerRow,
  at: { readonly prepared: StoredValue; readonly proof: string; readonly now: number; readonly leaseMs: number },
): LedgerRow {
  return { ...renewed(row, at), state: "sending", sendingAt: at.now, prepared: at.prepared, proof: at.proof };
}

/** The row with a longer lease. */
export function renewed(row: LedgerRow, at: { readonly now: number; readonly leaseMs: number }): LedgerRow {
  return row.lease === null ? row : { ...row, lease: { ...row.lease, until: at.now + at.leaseMs } };
}

/** The row without its lease, so that the next attempt need not wait. */
export function released(row: LedgerRow): LedgerRow {
  return { ...row, lease: null };
}

/** The row at its end. The prepared value and its proof are dropped: they may be large, and nothing sends them any more. */
export function finished(row: LedgerRow, end: { readonly result: ToolResult; readonly receipt: string; readonly now: number }): LedgerRow {
  const { prepared: _, proof: __, ...rest } = row;
  return {
    ...rest,
    state: "done",
    lease: null,
    doneAt: end.now,
    result: end.result,
    receipt: end.receipt,
  };
}

/**
 * How long the lease of another attempt still holds. It ends early if its owner is known to be dead: the store says so, or the broker redelivers the
 * owner's own message. The second sign can be wrong if a broker delivered a message twice; the fence covers that.
 */
function busyMs({ now, by, redelivered, ownersDeadBefore }: BeginInput, { lease }: LedgerRow): number {
  if (!lease || lease.since < ownersDeadBefore || (redelivered && lease.by === by)) return 0;
  return Math.max(0, lease.until - now);
}

function take({ call, row, now, by, leaseMs }: BeginInput): LedgerRow {
  const lease = { by, since: now, until: now + leaseMs };
  return row ? { ...row, fence: row.fence + 1, lease, jti: call.jti } : { ...call, state: "begun", fence: 1, lease, beganAt: now };
}

function again({ idempotency, now, timeoutMs, proven }: BeginInput, row: LedgerRow, taken: LedgerRow): BeginDecision {
  // Whoever wrote the row, the write may have been sent: it is not run again, and its target is not asked about a value that nobody
  // approved.
  const prepared = proven ? storedValue(row.prepared) : null;
  if (prepared === null) return { kind: "end", row: taken, code: "outcome_unknown" };
  switch (idempotency.mode) {
    case "key":
      // The attempt itself takes up to the time-out, and must reach the target while that still knows the key.
      return now + timeoutMs < (row.sendingAt ?? 0) + idempotency.keepsForMs
        ? { kind: "continue", row: taken, prepared }
        : { kind: "end", row: taken, code: "outcome_unknown" };
    case "reconcile":
      return { kind: "reconcile", row: taken, prepared };
    case "none":
      return { kind: "end", row: taken, code: "outcome_unknown" };
  }
}

function storedValue(stored: Json | undefined): StoredValue | null {
  if (typeof stored !== "object" || stored === null || Array.isArray(stored)) return null;
  if ("blob" in stored && typeof stored.blob === "string") return { blob: stored.blob };
  return "value" in stored && stored.value !== undefined ? { value: stored.value } : null;
}
