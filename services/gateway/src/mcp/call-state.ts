import { type Call, callIdOf, DIRECT_CALL_PROFILE, keys, parseCall, type ToolResult, type Wait } from "@toolbus/contracts";
import { type Principal, RESULT_GONE, wholeResult } from "@toolbus/runtime";
import { heldText, type StateStore } from "@toolbus/state";
import { findRun, type OwnRun } from "../run-access.ts";
import { refused, type Refused } from "../refused.ts";
import { viewRun } from "../run-view.ts";

/** How a call of the MCP server stands. */
export type CallState = Waiting | Ended | Failed;

/** The call has no result yet. */
export interface Waiting {
  readonly kind: "waiting";
  readonly runId: string;
  /** The effect of a write, in the words of its tool. */
  readonly effect?: string | undefined;
  readonly waits: readonly Wait[];
}

/** The call has its result. */
export interface Ended {
  readonly kind: "ended";
  readonly runId: string;
  readonly call: Pick<Call, "callId" | "toolName" | "kind" | "settled">;
  readonly result: Pick<ToolResult, "status" | "isError" | "error">;
  /** The whole text of the result, or its beginning. */
  readonly text: string;
  /** The number of characters of the whole text. Absent if `text` is whole. */
  readonly chars?: number;
}

/** The run ended before its call had a result. */
export interface Failed {
  readonly kind: "failed";
  readonly runId: string;
  readonly code: string;
  readonly message: string;
}

/** The most characters of a result that one answer contains. */
const MAX_CHARS = 1_000_000;

/** Returns how the call of this run stands, if the principal may see the run. */
export async function callState(state: StateStore, runId: string, principal: Principal): Promise<CallState | Refused> {
  const own = await findRun(state, runId, principal);
  if (own.kind === "refused") return own.code === "not_found" ? noCall(runId) : own;
  const { run } = own;
  if (run && run.profile !== DIRECT_CALL_PROFILE) return noCall(runId);
  const call = run ? await callOf(state, runId) : null;
  if (call?.result) return ended(state, runId, call, (await wholeResult(state, call)) ?? { ...call.result, content: RESULT_GONE });
  if (run && run.endedAt !== null)
    return { kind: "failed", runId, code: run.ending?.code ?? run.status, message: run.ending?.text ?? `The call was ${run.status}.` };
  return waiting(state, own, call);
}

/** Returns whether the call waits for people, so that waiting longer is of no use to a program. */
export function waitsForPeople(state: CallState | Refused): boolean {
  return state.kind === "waiting" && state.waits.some(({ kind }) => kind === "approval" || kind === "answer");
}

async function callOf(state: StateStore, runId: string): Promise<Call | null> {
  const { documents } = await state.read([keys.call(callIdOf(runId, 0, 0))]);
  const call = parseCall(documents[0]?.value);
  return call.ok ? call.value : null;
}

async function ended(state: StateStore, runId: string, call: Call, result: ToolResult): Promise<Ended> {
  const whole = (await heldText(state, result)) ?? result.content;
  return {
    kind: "ended",
    runId,
    call,
    result,
    text: whole.slice(0, MAX_CHARS).toWellFormed(),
    ...(whole.length > MAX_CHARS ? { chars: whole.length } : {}),
  };
}

async function waiting(state: StateStore, own: OwnRun, call: Call | null): Promise<Waiting> {
  const { waits = [] } = await viewRun(state, own);
  return { kind: "waiting", runId: own.runId, effect: call?.effect, waits };
}

function noCall(handle: string): Refused {
  return refused(
    "not_found",
    `There is no call "${handle.slice(0, 80)}" for this key.`,
    "Use the handle that the call gave, with the same key.",
  );
}
