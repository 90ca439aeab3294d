import {
  type Approval,
  type DecisionToken,
  describeProblems,
  keys,
  type Parsed,
  parseApproval,
  parseDecisionToken,
  parseRunOrigin,
  type RunOrigin,
} from "@toolbus/contracts";
import type { StateStore, StoredDocument } from "@toolbus/state";
import type { Read } from "./approval.ts";

/** An approval and who asked for it, read at one moment. */
export interface Records {
  readonly now: number;
  readonly approval: Read<Approval> | null;
  readonly origin: RunOrigin | null;
  /** Null where no token was asked for, or where there is none of this hash. */
  readonly token: Read<DecisionToken> | null;
}

/** Reads what belongs to one approval. Throws on a document that breaks its schema: it was not written by its owner. */
export async function readRecords(state: StateStore, approvalId: string, runId: string, tokenHash?: string): Promise<Records> {
  const wanted = [
    keys.approval(approvalId),
    keys.runOrigin(runId),
    ...(tokenHash === undefined ? [] : [keys.token(approvalId, tokenHash)]),
  ];
  const { now, documents } = await state.read(wanted);
  const [approval, origin, token] = documents;
  return {
    now,
    approval: parsed(approval, parseApproval),
    origin: parsed(origin, parseRunOrigin)?.value ?? null,
    token: parsed(token, parseDecisionToken),
  };
}

/** The shard of an id, as a number, is one of this store's: anything else was never written here. */
export function isShardOf(state: StateStore, shard: string): boolean {
  return Number.parseInt(shard, 16) < state.shards;
}

function parsed<T>(stored: StoredDocument | null | undefined, parse: (value: unknown) => Parsed<T>): Read<T> | null {
  if (!stored) return null;
  const result = parse(stored.value);
  if (!result.ok) throw new Error(`A stored document is damaged: ${describeProblems(result.problems)}.`);
  return { version: stored.version, value: result.value };
}
