import { type Json, keys, type LedgerRow, shardOf, type ToolResult } from "@toolbus/contracts";
import { commitRepeatedly, type Change, type CommitReply, putBlobRepeatedly, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { drifted, finished, released, renewed, sending, type StoredValue } from "./ledger.ts";

/** The time for which a row is kept after its last change. It is longer than the lifetime of any grant or message. */
export const LEDGER_KEEP_MS = 30 * 86_400_000;

/**
 * The right to work on one write. It consists of a fence and a lease that is renewed until `stop`. Every commit requires the row as this attempt last
 * wrote it, so an attempt that was taken over changes nothing.
 */
export interface Hold {
  readonly fence: number;
  /** Aborts when another attempt took over. Also aborts shortly before the lease ends if the lease cannot be renewed. */
  readonly lost: AbortSignal;
  /** Commits the point of no return. The attempt may send the value only if this returns "sent". */
  sending(prepared: Json, notAfter: number | undefined): Promise<"sent" | "late" | "stopped" | "lost">;
  /** Returns true if the lease lasts long enough to send now. A process that was paused must not send late. */
  hasMargin(): boolean;
  /** Stores the final result. Returns "lost" if another attempt continues. Then this attempt must not answer. */
  finish(result: ToolResult): Promise<{ readonly kind: "done"; readonly receipt: string } | { readonly kind: "lost" }>;
  /** Releases the lease, so that the next attempt need not wait for its end. */
  release(): Promise<void>;
  /**
   * Records that the target has changed since the plan of this round was approved, and releases the lease. Returns "lost" if another attempt has taken
   * over.
   */
  drifted(round: number): Promise<"recorded" | "lost">;
  /** Ends the renewals and waits for a pending one. Safe to call twice. */
  stop(): Promise<void>;
}

export interface HoldOptions {
  readonly state: StateStore;
  readonly toolset: string;
  /** The row as this attempt committed it, and its version. */
  readonly row: LedgerRow;
  readonly version: number;
  /** The store's time, and the monotonic time from before the store was asked for it. */
  readonly asOf: { readonly now: number; readonly monotonic: number };
  /** Makes the names of this attempt's changes unique. */
  readonly nonce: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly monotonic: () => number;
  /** Signs the value that is about to be sent. `signReceipt` signs the result. */
  readonly signProof: (row: LedgerRow, sent: { readonly prepared: Json; readonly at: number }) => Promise<string>;
  readonly signReceipt: (row: LedgerRow, result: ToolResult, now: number) => Promise<string>;
  readonly log: Log;
}

export function holdLedger(options: HoldOptions): Hold {
  const { state, toolset, nonce, leaseMs, renewMs, monotonic, signProof, signReceipt, log } = options;
  const { callId, fence } = options.row;
  const key = keys.ledger(toolset, callId);
  const lost = new AbortController();
  const stopping = new AbortController();
  const marginMs = leaseMs / 5;
  let { row, version, asOf } = options;
  // The time is counted from before the store was asked, so the lease in the store does not end earlier.
  let validUntil = asOf.monotonic + leaseMs;
  let renewals = 0;
  let renewTimer = setTimeout(renew, renewMs).unref();
  let expiryTimer = setTimeout(lose, leaseMs - marginMs).unref();
  let last: Promise<unknown> = Promise.resolve();

  return {
    fence,
    lost: lost.signal,
    hasMargin: () => !lost.signal.aborted && monotonic() < validUntil - marginMs,
    async sending(prepared, notAfter) {
      const stored = await storeValue(prepared);
      return inTurn(async () => {
        const at = now();
        // Each attempt that sends signs once. Renewals of the lease and takeovers of the row preserve this signature.
        const proof = await signProof(row, { prepared, at });
        const next = sending(row, { prepared: stored, proof, now: at, leaseMs });
        const reply = await write("sending", next, { stop: true, notAfter });
        if (reply.outcome === "ok") return "sent";
        if (reply.outcome === "late") return "late";
        // The reason is neither a stop nor another attempt. The store has lost writes, so the outcome of this write is decided again.
        if (reply.rolledBack) return "lost";
        const { documents } = await state.read([key]);
        // If the row is still ours, the guard of the stop document failed.
        return documents[0]?.version === version ? "stopped" : "lost";
      });
    },
    finish: (result) =>
      inTurn(async () => {
        const at = now();
        const receipt = await signReceipt(row, result, at);
        const reply = await write("finish", finished(row, { result, receipt, now: at }), { untilLeaseEnds: true });
        if (reply.outcome !== "ok") return { kind: "lost" };
        return { kind: "done", receipt };
      }),
    release: () =>
      inTurn(async () => {
        if (row.state === "done" || row.lease === null) return;
        await write("release", released(row), {});
      }),
    drifted: (round) =>
      inTurn(async () => {
        const reply = await write("drifted", drifted(row, round), {});
        return reply.outcome === "ok" ? "recorded" : "lost";
      }),
    async stop() {
      stopping.abort();
      clearTimeout(renewTimer);
      clearTimeout(expiryTimer);
      await last;
    },
  };

  /** Makes one change at a time. Otherwise a renewal could change the row's version during a `finish`. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const done = last.then(step);
    last = done.catch(() => undefined);
    return done;
  }

  function renew(): void {
    void inTurn(async () => {
      if (stopping.signal.aborted || row.lease === null) return;
      try {
        const reply = await write(`renew-${++renewals}`, renewed(row, { now: now(), leaseMs }), {});
        if (reply.outcome === "stale") lose();
      } catch (error) {
        // The lease is not lost yet, because the next renewal may succeed before the lease ends.
        log.warn({ error, callId, fence }, "the lease of a write could not be renewed");
      }
      if (!stopping.signal.aborted && !lost.signal.aborted) renewTimer = setTimeout(renew, renewMs).unref();
    });
  }

  function lose(): void {
    lost.abort(new Error(`Attempt ${fence} at ${callId} has lost its lease.`));
  }

  async function write(
    step: string,
    next: LedgerRow,
    extra: { readonly stop?: boolean; readonly notAfter?: number | undefined; readonly untilLeaseEnds?: boolean },
  ): Promise<CommitReply> {
    const askedAt = monotonic();
    const change: Change = {
      op: `${step}:${callId}:${fence}:${nonce}`,
      guards: [{ key, version }, ...(extra.stop ? [{ key: keys.stop(callId), version: 0 }] : [])],
      ...(extra.notAfter === undefined ? {} : { notAfter: extra.notAfter }),
      put: [{ key, value: next, expiresAt: now() + LEDGER_KEEP_MS }],
    };
    const reply = await commitRepeatedly(state, shardOf(callId), change, () => extra.untilLeaseEnds === true && monotonic() < validUntil);
    if (reply.outcome !== "ok") return reply;
    row = next;
    version = reply.commit;
    asOf = { now: reply.now, monotonic: askedAt };
    extendTo(next.lease === null ? validUntil : askedAt + leaseMs);
    return reply;
  }

  function extendTo(until: number): void {
    validUntil = until;
    clearTimeout(expiryTimer);
    if (!stopping.signal.aborted) expiryTimer = setTimeout(lose, Math.max(0, validUntil - marginMs - monotonic())).unref();
  }

  function now(): number {
    return asOf.now + Math.floor(monotonic() - asOf.monotonic);
  }

  async function storeValue(prepared: Json): Promise<StoredValue> {
    const text = JSON.stringify(prepared);
    if (Buffer.byteLength(text) <= INLINE_BYTES) return { value: prepared };
    // The blob is stored before the row that points to it.
    return { blob: await putBlobRepeatedly(state, Buffer.from(text)) };
  }
}

// This is below the store's limit for a whole document and leaves room for the rest of the row.
const INLINE_BYTES = 32 * 1024;
