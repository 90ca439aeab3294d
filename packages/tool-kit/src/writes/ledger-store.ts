import { type Idempotency, type Json, keys, type LedgerRow, parseLedgerRow, shardOf, type ToolResult } from "@toolbus/contracts";
import { preparedHash, type Signer, signSending } from "@toolbus/grants";
import { commitRepeatedly, type Change, type StateStore } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import { signAnswer } from "../calls/answer-receipt.ts";
import type { CallsSent } from "../calls/calls-sent.ts";
import { begin, type BeginDecision, type EndCode, finished, type LedgerCall, type StoredValue } from "./ledger.ts";
import { type Hold, holdLedger, LEDGER_KEEP_MS } from "./ledger-hold.ts";
import type { ReceiptKeys } from "../registry/receipt-keys.ts";
import { proveRow, type RowProof } from "./row-proof.ts";
import type { WorkerTimings } from "../worker-timings.ts";

export interface BeginRequest {
  readonly call: LedgerCall;
  /** The id of the requesting message, and whether the broker delivered it before. */
  readonly by: string;
  readonly redelivered: boolean;
  readonly idempotency: Idempotency;
  readonly timeoutMs: number;
  /** The latest time at which the write may first begin, by the store's clock. A write that was already sent may continue later. */
  readonly notAfter: number | undefined;
  /** True if the tool's feature flag is off here, so that no new write begins. */
  readonly switchedOff: boolean;
  /** True if a dependency of the tool fails, so that no new write begins. */
  readonly refused: boolean;
  /** True if workers crashed while they ran the call, so that no further attempt begins. */
  readonly crashed: boolean;
  /** The round of the plan in the grant. It is absent if the grant covers no plan. */
  readonly planRound?: number | undefined;
  /** Returns whether the shard is known to have lost writes. It is called each time, because a refused commit may be the first sign. */
  readonly held: () => boolean;
  /** Returns the result of a call that ends without another attempt. */
  readonly endResult: (code: EndCode, attempt: number) => ToolResult;
  /**
   * Called for a row that no worker of the toolset wrote, before the worker acts on the row. Also called for a row that lost a write of this process,
   * after the call ended.
   */
  readonly onSuspicion: (suspicion: Suspicion) => Promise<void>;
}

export interface Suspicion {
  readonly reason: "ledger_forged" | "ledger_row_gone";
  readonly detail: string;
}

export type BeginOutcome =
  | Extract<BeginDecision, { kind: "conflict" | "unproven" | "repeat" | "busy" | "outdated" }>
  | { readonly kind: "late" }
  /** The call ended now, without another attempt. */
  | { readonly kind: "ended"; readonly result: ToolResult; readonly receipt?: string }
  | { readonly kind: "run"; readonly hold: Hold }
  | { readonly kind: "continue" | "reconcile"; readonly hold: Hold; readonly prepared: Json };

/** The ledger of a toolset in the state store. Every method throws `StoreUnavailable` if the store does not answer. */
export interface Ledger {
  /** Decides what to do with a write, and acquires the lease if there is work to do. */
  begin(request: BeginRequest): Promise<BeginOutcome>;
  /** Returns the row of a call, or null if the call never began here, and the store's time. */
  find(callId: string): Promise<{ readonly row: LedgerRow | null; readonly now: number }>;
  /** Checks whether a worker of this toolset wrote a row. */
  prove(row: LedgerRow): Promise<RowProof>;
}

export interface LedgerOptions {
  readonly toolset: string;
  readonly state: StateStore;
  /** The toolset's own key. A toolset without writes needs none. */
  readonly signer: Signer | undefined;
  /** The keys that prove a row. */
  readonly receiptKeys: ReceiptKeys;
  readonly sent: CallsSent;
  readonly timings: WorkerTimings;
  readonly monotonic: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly log: Log;
}

export function ledgerStore(options: LedgerOptions): Ledger {
  const { toolset, state, receiptKeys, sent, timings, monotonic, random, log } = options;
  const { leaseMs, renewMs } = timings;
  return {
    async begin(request) {
      const nonce = Buffer.from(random(8)).toString("hex");
      // A stale commit means that another attempt changed the row, so the worker reads the row and decides again.
      for (let tries = 1; tries <= BEGIN_TRIES; tries++) {
        const outcome = await tryBegin(request, nonce);
        if (outcome) return outcome;
      }
      return { kind: "busy", forMs: leaseMs };
    },
    async find(callId) {
      const { now, documents } = await state.read([keys.ledger(toolset, callId)]);
      return { row: rowOf(documents[0]?.value), now };
    },
    prove,
  };

  async function tryBegin(request: BeginRequest, nonce: string): Promise<BeginOutcome | null> {
    const { callId } = request.call;
    const key = keys.ledger(toolset, callId);
    const askedAt = monotonic();
    const { now, documents } = await state.read([key, keys.stop(callId)]);
    const [stored, stop] = documents;
    const row = rowOf(stored?.value);
    const proof: RowProof = row ? await prove(row) : { kind: "genuine" };
    const sentHere = sent.has(callId);
    const decision = begin({
      ...request,
      row,
      proven: proof.kind === "genuine",
      sentHere,
      held: request.held(),
      now,
      stopped: stop !== null && stop !== undefined,
      ownersDeadBefore: state.ownersDeadBefore,
      leaseMs,
    });
    const suspicion = suspicionOf(decision, { row, proof, sentHere });
    if (suspicion?.reason === "ledger_forged") await request.onSuspicion(suspicion);
    switch (decision.kind) {
      case "conflict":
      case "unproven":
      case "repeat":
      case "busy":
      case "outdated":
        return decision;
      case "end": {
        const ended = await end(decision, request, { version: stored?.version ?? 0, now, nonce });
        // The worker reports the missing row only after the commit. A refused commit may show that the store has lost the row, and then the decision
        // is made again.
        if (ended && suspicion?.reason === "ledger_row_gone") await request.onSuspicion(suspicion);
        return ended;
      }
      case "run":
      case "continue":
      case "reconcile": {
        const first = decision.kind === "run";
        const change: Change = {
          op: `begin:${callId}:${decision.row.fence}:${nonce}`,
          guards: [{ key, version: stored?.version ?? 0 }, ...(first ? [{ key: keys.stop(callId), version: 0 }] : [])],
          ...(first && request.notAfter !== undefined ? { notAfter: request.notAfter } : {}),
          put: [{ key, value: decision.row, expiresAt: now + LEDGER_KEEP_MS }],
        };
        const reply = await commitRepeatedly(state, shardOf(callId), change);
        if (reply.outcome === "late") return { kind: "late" };
        if (reply.outcome !== "ok") return null;
        const hold = holdLedger({
          state,
          toolset,
          row: decision.row,
          version: reply.commit,
          asOf: { now, monotonic: askedAt },
          nonce,
          leaseMs,
          renewMs,
          monotonic,
          signProof,
          signReceipt,
          log,
        });
        return first ? { kind: "run", hold: noted(hold, callId) } : withPrepared(decision.kind, hold, decision.prepared, request);
      }
    }
  }

  async function end(
    { row, code }: Extract<BeginDecision, { kind: "end" }>,
    request: BeginRequest,
    at: { version: number; now: number; nonce: string },
  ): Promise<BeginOutcome | null> {
    const result = request.endResult(code, row.fence);
    const receipt = await signReceipt(row, result, at.now);
    const key = keys.ledger(toolset, row.callId);
    const reply = await commitRepeatedly(state, shardOf(row.callId), {
      op: `finish:${row.callId}:${row.fence}:${at.nonce}`,
      guards: [{ key, version: at.version }],
      put: [{ key, value: finished(row, { result, receipt, now: at.now }), expiresAt: at.now + LEDGER_KEEP_MS }],
    });
    return reply.outcome === "ok" ? { kind: "ended", result, receipt } : null;
  }

  async function withPrepared(
    kind: "continue" | "reconcile",
    hold: Hold,
    stored: StoredValue,
    request: BeginRequest,
  ): Promise<BeginOutcome> {
    const prepared = await load(stored).catch(async (error: unknown) => {
      await hold.stop();
      throw error;
    });
    if (prepared !== undefined) return { kind, hold, prepared };
    log.error({ callId: request.call.callId }, "the prepared value of a write is gone from the store");
    const result = request.endResult("outcome_unknown", hold.fence);
    const done = await finishAndStop(hold, result);
    return done.kind === "done" ? { ...done, kind: "ended", result } : { kind: "busy", forMs: leaseMs };
  }

  async function finishAndStop(hold: Hold, result: ToolResult): ReturnType<Hold["finish"]> {
    try {
      return await hold.finish(result);
    } finally {
      await hold.stop();
    }
  }

  async function load(stored: StoredValue): Promise<Json | undefined> {
    if ("value" in stored) return stored.value;
    const bytes = await state.getBlob(stored.blob);
    // The blob's name is the digest of its bytes and was signed, so its content is the value that was sent.
    return bytes === null ? undefined : JSON.parse(Buffer.from(bytes).toString());
  }

  /** Wraps a hold so that the call is remembered before anything is sent. */
  function noted(hold: Hold, callId: string): Hold {
    return {
      ...hold,
      async sending(prepared, notAfter) {
        const answer = await hold.sending(prepared, notAfter);
        if (answer === "sent") sent.note(callId);
        return answer;
      },
    };
  }

  function prove(row: LedgerRow): Promise<RowProof> {
    return proveRow(row, toolset, receiptKeys.of({ toolset, ...row }));
  }

  async function signProof(row: LedgerRow, { prepared, at }: { readonly prepared: Json; readonly at: number }): Promise<string> {
    const { callId, toolName: tool, toolHash, argsHash, jti, fence } = row;
    return signSending({ callId, toolset, tool, toolHash, argsHash, jti, fence, preparedHash: preparedHash(prepared), at }, signer());
  }

  async function signReceipt(row: LedgerRow, result: ToolResult, at: number): Promise<string> {
    const { callId, toolName: tool, toolHash, argsHash, fence } = row;
    return signAnswer({ callId, toolset, tool, toolHash, argsHash }, { result, fence, at }, signer());
  }

  function signer(): Signer {
    if (options.signer) return options.signer;
    throw new Error(`The toolset "${toolset}" has a write and no receipt key to sign what it does.`);
  }
}

const BEGIN_TRIES = 8;

function suspicionOf(
  decision: BeginDecision,
  { row, proof, sentHere }: { readonly row: LedgerRow | null; readonly proof: RowProof; readonly sentHere: boolean },
): Suspicion | null {
  // In these cases the worker does not act on the row.
  if (decision.kind === "busy" || decision.kind === "conflict" || decision.kind === "outdated") return null;
  if (row && proof.kind === "unproven")
    return { reason: "ledger_forged", detail: `the ledger says "${row.state}", and no worker of the toolset signed that: ${proof.detail}` };
  if (decision.kind === "end" && decision.code === "outcome_unknown" && sentHere && row?.state !== "sending")
    return { reason: "ledger_row_gone", detail: "this process sent the write, and the ledger no longer has a record of it" };
  return null;
}

/** Parses a row. Throws for an unreadable row, which is our own fault, because a worker that ignored it could run the write twice. */
function rowOf(value: Json | undefined): LedgerRow | null {
  if (value === undefined) return null;
  const parsed = parseLedgerRow(value);
  if (!parsed.ok) throw new Error(`A ledger row cannot be read: ${parsed.problems[0]?.path ?? ""} ${parsed.problems[0]?.message ?? ""}.`);
  return parsed.value;
}
