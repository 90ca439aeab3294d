import type { Idempotency, Json, LedgerRow, ToolResult } from "@toolbus/contracts";

/**
 * The call of a ledger row. The row records one write, and pure transitions (docs/mechanics.md#the-ledger) change it. Its state only moves forward:
 *
 *     none ──begin──▶ begun ──sending──▶ sending ──finish──▶ done
 *                       └── stop, or prepare failed ──────────▲
 *
 * Up to `begun`, nothing has happened outside. From `sending` on, something may have happened, and the tool's idempotency decides what a second
 * attempt may do. Each attempt has a higher fence than the one before. An attempt whose fence is no longer the highest can commit nothing.
 */
export interface LedgerCall {
  readonly callId: string;
  readonly toolName: string;
  readonly toolHash: string;
  readonly argsHash: string;
  /** The approval whose grant allows the call. */
  readonly jti: string;
}

export interface BeginInput {
  readonly call: LedgerCall;
  readonly row: LedgerRow | null;
  /** The store's time. */
  readonly now: number;
  /** The id of the requesting message. */
  readonly by: string;
  /** True if the broker says that it delivered this message before. */
  readonly redelivered: boolean;
  /** True if `stop:<callId>` exists. */
  readonly stopped: boolean;
  /** True if the tool's feature flag is off here. */
  readonly switchedOff: boolean;
  /** True if a dependency of the tool fails, so that no new write begins. */
  readonly refused?: boolean | undefined;
  /** True if the shard has lost writes. Then a missing row does not prove that nothing was sent. */
  readonly held: boolean;
  readonly ownersDeadBefore: number;
  readonly leaseMs: number;
  readonly idempotency: Idempotency;
  readonly timeoutMs: number;
  /** True if a worker of the toolset signed the row, or if the row's state needs no signature. */
  readonly proven: boolean;
  /** True if this process sent the call before. */
  readonly sentHere: boolean;
  /** True if workers crashed while they ran the call, so that no further attempt begins. */
  readonly crashed: boolean;
  /** The round of the plan in the grant. It is absent if the grant covers no plan. */
  readonly planRound?: number | undefined;
}

/** The reason why a call ends without another attempt. */
export type EndCode = "cancelled" | "tool_disabled" | "unavailable" | "held" | "worker_crashed" | "outcome_unknown";

export type BeginDecision =
  /** The row with this call id has other arguments or another tool. No honest sender uses an id twice. */
  | { readonly kind: "conflict"; readonly field: "arguments" | "tool" }
  /** The row says that the call is done, but no worker of the toolset signed this. The worker must neither answer nor run the call. */
  | { readonly kind: "unproven" }
  /** The call was done before, so its result is sent again. */
  | { readonly kind: "repeat"; readonly result: ToolResult; readonly receipt?: string }
  /** Another attempt has the lease for this long. */
  | { readonly kind: "busy"; readonly forMs: number }
  /** The target has changed since people approved the plan of this grant. The grant allows no further attempt. */
  | { readonly kind: "outdated" }
  /** The call ends without another attempt. */
  | { readonly kind: "end"; readonly row: LedgerRow; readonly code: EndCode }
  /** The attempt prepares and runs the write. Nothing has been sent. */
  | { readonly kind: "run"; readonly row: LedgerRow }
  /** The write may have been sent. The attempt sends the stored value again with the same key, or asks the target. */
  | { readonly kind: "continue" | "reconcile"; readonly row: LedgerRow; readonly prepared: StoredValue };

/** A prepared value in its row, or the blob that contains a large value. */
export type StoredValue = { readonly value: Json } | { readonly blob: string };

/** Decides what to do with a requested write now. A decision with a row takes effect when the row is committed. */
export function begin(input: BeginInput): BeginDecision {
  const { call, row, stopped, switchedOff, refused = false, held, idempotency, sentHere } = input;
  if (row && row.argsHash !== call.argsHash) return { kind: "conflict", field: "arguments" };
  if (row && (row.toolHash !== call.toolHash || row.toolName !== call.toolName)) return { kind: "conflict", field: "tool" };
  if (row?.state === "done" && (!input.proven || !row.result)) return { kind: "unproven" };
  if (row?.state === "done" && row.result)
    return { kind: "repeat", result: row.result, ...(row.receipt === undefined ? {} : { receipt: row.receipt }) };
  const busyFor = row ? busyMs(input, row) : 0;
  if (busyFor > 0) return { kind: "busy", forMs: busyFor };
  if (row?.state === "begun" && row.planRound !== undefined && (input.planRound ?? 0) < row.planRound) return { kind: "outdated" };
  const taken = take(input);
  if (input.crashed)
    return { kind: "end", row: taken, code: row?.state === "sending" || sentHere || held ? "outcome_unknown" : "worker_crashed" };
  if (row?.state === "sending") return again(input, row, taken);
  // If the ledger has lost the first attempt, only a key lets the target distinguish a second attempt from the first.
  if (held && idempotency.mode !== "key") return { kind: "end", row: taken, code: "held" };
  // The ledger has lost a write that this process sent. Only a key lets the target distinguish a second attempt from the first.
  if (sentHere && (stopped || switchedOff || refused || idempotency.mode !== "key"))
    return { kind: "end", row: taken, code: "outcome_unknown" };
  if (stopped) return { kind: "end", row: taken, code: "cancelled" };
  // The ledger records this end. Otherwise another worker, whose flags may differ for a moment, could run a call that was answered as refused.
  if (switchedOff) return { kind: "end", row: taken, code: "tool_disabled" };
  return refused ? { kind: "end", row: taken, code: "unavailable" } : { kind: "run", row: taken };
}

/** Returns the row at the point of no return, with the value that is about to be sent. */
export function sending(
  row: LedgerRow,
  at: { readonly prepared: StoredValue; readonly proof: string; readonly now: number; readonly leaseMs: number },
): LedgerRow {
  return { ...renewed(row, at), state: "sending", sendingAt: at.now, prepared: at.prepared, proof: at.proof };
}

/** Returns the row with a longer lease. */
export function renewed(row: LedgerRow, at: { readonly now: number; readonly leaseMs: number }): LedgerRow {
  return row.lease === null ? row : { ...row, lease: { ...row.lease, until: at.now + at.leaseMs } };
}

/** Returns the row without its lease, so that the next attempt need not wait. */
export function released(row: LedgerRow): LedgerRow {
  return { ...row, lease: null };
}

/** Returns the row after the target was found to have changed. No grant for the plan of this round, or an earlier one, begins the write any more. */
export function drifted(row: LedgerRow, round: number): LedgerRow {
  return { ...row, lease: null, planRound: Math.max(round + 1, row.planRound ?? 0) };
}

/** Returns the finished row. The prepared value and its proof are removed, because they may be large and are not needed any more. */
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
 * Returns how long the lease of another attempt is still valid, in milliseconds. The lease ends early if its owner is known to be dead, because the
 * store says so or the broker redelivers the owner's own message. The second sign can be wrong if a broker delivered a message twice, but then the
 * fence protects the row.
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
  // A row without proof may be forged, but its write may still have been sent. So the worker does not run this write again. It also does not ask the
  // target about a value that nobody approved.
  const prepared = proven ? storedValue(row.prepared) : null;
  if (prepared === null) return { kind: "end", row: taken, code: "outcome_unknown" };
  switch (idempotency.mode) {
    case "key":
      // The attempt takes up to the time-out, and must reach the target while the target still knows the key.
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
