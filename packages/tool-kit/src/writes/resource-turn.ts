import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { isJsonObject, type Json, keys } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore, type StoredDocument } from "@toolbus/state";

/**
 * The lock of a call on the resource that its write changes. A toolset's writes on one resource run one after another, even if they belong to
 * different runs, tools or replicas. The lock belongs to the call and not to an attempt, so an attempt that continues after a crash has it at once.
 * The call releases the lock at its end. The lock also expires after the duration of the longest attempt, so that nobody waits for a dead worker.
 */
export interface ResourceTurn {
  /** Releases the lock at the end of the call, so that the next call need not wait. Never throws, because the lock also expires. */
  release(): Promise<void>;
}

export type TurnTaken = { readonly kind: "taken"; readonly turn: ResourceTurn } | { readonly kind: "busy"; readonly forMs: number };

export interface TurnRequest {
  readonly toolset: string;
  /** The resource that the write changes, by the name that the tool gives it. */
  readonly resource: string;
  readonly callId: string;
  /** The longest duration of an attempt at any write of the toolset, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Waits while another call has the lock, for these times at most. Does not acquire it, so the caller may still have to wait in the queue. Ends early if
 * the call is stopped. Throws `StoreUnavailable`.
 */
export async function awaitTurn(state: StateStore, request: TurnRequest, waitsMs: readonly number[], stopped: AbortSignal): Promise<void> {
  const { key } = placeOf(state, request.toolset, request.resource);
  for (const ms of waitsMs) {
    const { now, documents } = await state.read([key]);
    if (leftOf(holderOf(documents[0] ?? null), now, request) === 0 || stopped.aborted) return;
    await wait(ms, undefined, { signal: stopped }).catch(() => undefined);
  }
}

/** Acquires the lock, or returns how much longer another call may have it. Throws `StoreUnavailable`. */
export async function takeTurn(state: StateStore, request: TurnRequest): Promise<TurnTaken> {
  const { toolset, resource, callId, longestMs } = request;
  const { shard, key } = placeOf(state, toolset, resource);
  const { now, documents } = await state.read([key]);
  const stored = documents[0] ?? null;
  const left = leftOf(holderOf(stored), now, request);
  if (left > 0) return { kind: "busy", forMs: left };
  const value = { callId, until: now + longestMs };
  const { outcome } = await commitRepeatedly(state, shard, {
    op: `turn:${callId}:${stored?.version ?? 0}`,
    guards: [{ key, version: stored?.version ?? 0 }],
    put: [{ key, value, expiresAt: value.until }],
  });
  if (outcome !== "ok") return { kind: "busy", forMs: RACE_MS };
  return { kind: "taken", turn: { release: () => release(state, shard, key, callId) } };
}

/** Returns how much longer another call may have the lock, or 0 if none has it. */
function leftOf(holder: Holder | null, now: number, { callId, longestMs }: TurnRequest): number {
  if (holder === null || holder.callId === callId) return 0;
  const left = holder.until - now;
  // No worker of the toolset writes a lock that lasts longer, so a longer one is ignored.
  return left > 0 && left <= longestMs ? left : 0;
}

async function release(state: StateStore, shard: string, key: string, callId: string): Promise<void> {
  try {
    const { documents } = await state.read([key]);
    const [stored] = documents;
    if (!stored || holderOf(stored)?.callId !== callId) return;
    await state.commit(shard, {
      op: `turn-ends:${callId}:${stored.version}`,
      guards: [{ key, version: stored.version }],
      remove: [key],
    });
  } catch {
    // The result of the call is already recorded, so the worker answers even if this commit fails.
  }
}

/** The wait if another call acquired the lock at the same moment. */
const RACE_MS = 100;

/**
 * Returns the place of a lock. It is stored with the toolset's own documents, so that the right to write the ledger also covers the lock. The name of
 * the resource may be any text, so the key contains its hash.
 */
function placeOf({ shards }: StateStore, toolset: string, resource: string): { readonly shard: string; readonly key: string } {
  const hash = createHash("sha256").update(resource).digest("hex");
  const shard = (Number.parseInt(hash.slice(0, 8), 16) % shards).toString(16).padStart(2, "0");
  return { shard, key: keys.resource(toolset, shard, hash) };
}

interface Holder {
  readonly callId: string;
  readonly until: number;
}

function holderOf(stored: StoredDocument | null): Holder | null {
  const value: Json | undefined = stored?.value;
  if (value === undefined || !isJsonObject(value)) return null;
  const { callId, until } = value;
  return typeof callId === "string" && typeof until === "number" ? { callId, until } : null;
}
