import { createHash } from "node:crypto";
import { isJsonObject, type Json, keys } from "@toolbus/contracts";
import { commitRepeatedly, type StateStore, type StoredDocument } from "@toolbus/state";

/**
 * The turn of a call at the resource that its write touches. A toolset's writes on one resource run one after another, whichever run, tool or replica they
 * come from. The turn belongs to the call and not to an attempt: an attempt that continues after a crash has it at once. It ends with the call, and by
 * itself after the duration of the longest attempt, so that nobody waits for a dead worker.
 */
export interface ResourceTurn {
  /** The call is over: the next one need not wait. Never throws: the turn ends by itself. */
  release(): Promise<void>;
}

export type TurnTaken = { readonly kind: "taken"; readonly turn: ResourceTurn } | { readonly kind: "busy"; readonly forMs: number };

export interface TurnRequest {
  readonly toolset: string;
  /** What the write touches, by the name that its tool gives. */
  readonly resource: string;
  readonly callId: string;
  /** How long an attempt at any write of the toolset may last. */
  readonly longestMs: number;
}

/** Takes the turn, or says how much longer another call may keep it. Throws `StoreUnavailable`. */
export async function takeTurn(state: StateStore, { toolset, resource, callId, longestMs }: TurnRequest): Promise<TurnTaken> {
  const { shard, key } = placeOf(state, toolset, resource);
  const { now, documents } = await state.read([key]);
  const stored = documents[0] ?? null;
  const holder = holderOf(stored);
  const left = holder === null || holder.callId === callId ? 0 : holder.until - now;
  // No worker of the toolset writes a turn that lasts longer.
  if (left > 0 && left <= longestMs) return { kind: "busy", forMs: left };
  const value = { callId, until: now + longestMs };
  const { outcome } = await commitRepeatedly(state, shard, {
    op: `turn:${callId}:${stored?.version ?? 0}`,
    guards: [{ key, version: stored?.version ?? 0 }],
    put: [{ key, value, expiresAt: value.until }],
  });
  if (outcome !== "ok") return { kind: "busy", forMs: RACE_MS };
  return { kind: "taken", turn: { release: () => release(state, shard, key, callId) } };
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
    // What the call did is recorded and is answered, whether or not the store takes this.
  }
}

/** Another call took it at the same moment. */
const RACE_MS = 100;

/** Stored with the toolset's own documents, so that the right to its ledger covers this too. The name may be any text, so the key has its hash. */
function placeOf({ shards }: StateStore, toolset: string, resource: string): { readonly shard: string; readonly key: string } {
  const hash = createHash("sha256").update(resource).digest("hex");
  const shard = (Number.parseInt(hash.slice(0, 8), 16) % shards).toString(16).padStart(2, "0");
  return { shard, key: keys.resource(toolset, shard, hash) };
}

function holderOf(stored: StoredDocument | null): { readonly callId: string; readonly until: number } | null {
  const value: Json | undefined = stored?.value;
  if (value === undefined || !isJsonObject(value)) return null;
  const { callId, until } = value;
  return typeof callId === "string" && typeof until === "number" ? { callId, until } : null;
}
