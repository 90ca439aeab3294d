import type { LedgerRow, ToolResult } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import { limitOf, takeResult } from "../memory/take-result.ts";
import type { Stepper } from "../steps/advance.ts";
import { callOf } from "../transitions/decided.ts";
import type { Snapshot } from "../transitions/snapshot.ts";

/** The input of a transition that joins a result. The snapshot contains the text that the model will read, and `arrived` is the result to join. */
export interface Arrived<T> {
  readonly snapshot: Snapshot;
  readonly arrived: T;
}

type Parts = Pick<Stepper, "state" | "rules" | "modelOf" | "log">;

/** Prepares a worker's answer for the transition. Reads no text for an answer that joins no call. Throws `StoreUnavailable`. */
export async function answerArrived<T extends { readonly callId: string; readonly secretHash: string | null; readonly result: ToolResult }>(
  parts: Parts,
  snapshot: Snapshot,
  answer: T,
): Promise<Arrived<T>> {
  const call = callOf(snapshot, answer.callId);
  if (answer.secretHash !== null && call && answer.secretHash !== secretHash(call.secret)) return { snapshot, arrived: answer };
  const { snapshot: seen, arrived } = await resultArrived(parts, snapshot, answer.callId, answer.result);
  return { snapshot: seen, arrived: { ...answer, result: arrived } };
}

/** Prepares a row of a worker's ledger for the transition. The row's result ends a call as an answer does. Throws `StoreUnavailable`. */
export async function rowArrived(
  parts: Parts,
  snapshot: Snapshot,
  callId: string,
  row: LedgerRow | null,
): Promise<Arrived<LedgerRow | null>> {
  if (row?.state !== "done" || !row.result) return { snapshot, arrived: row };
  const { snapshot: seen, arrived } = await resultArrived(parts, snapshot, callId, row.result);
  return { snapshot: seen, arrived: { ...row, result: arrived } };
}

async function resultArrived(
  { state, rules, modelOf, log }: Parts,
  snapshot: Snapshot,
  callId: string,
  result: ToolResult,
): Promise<Arrived<ToolResult>> {
  const call = callOf(snapshot, callId);
  const limit = limitOf(snapshot.run.value, rules, modelOf);
  if (!call || call.state === "resolved" || !limit) return { snapshot, arrived: result };
  const taken = await takeResult(call, result, { state, log, limit, ttlMs: rules.config.WORKING_MEMORY_TTL_MS });
  return taken.shown
    ? { snapshot: { ...snapshot, shown: new Map([[callId, taken.shown]]) }, arrived: taken.result }
    : { snapshot, arrived: taken.result };
}
