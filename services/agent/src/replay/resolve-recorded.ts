import { keys, type LedgerRow, type NumberedRunEvent, type RecordedCall, type RunEvent } from "@toolbus/contracts";
import { canonicalJson } from "@toolbus/grants";
import type { Json } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { answerCall } from "../transitions/answer.ts";
import { callDecided, callOf } from "../transitions/decided.ts";
import { joinResult } from "../transitions/join.ts";
import { type Redispatch, redispatch } from "../transitions/redispatch.ts";
import type { Rules } from "../transitions/rules.ts";
import type { Snapshot } from "../transitions/snapshot.ts";
import { checkWaiting } from "../transitions/waiting.ts";
import { resultOf, shownOf } from "./fill-world.ts";
import { lapseOf, renewalOf } from "./recorded-decision.ts";
import type { ReplayWorld } from "./replay-world.ts";

type ResolvedEvent = Extract<NumberedRunEvent, { type: "call.resolved" }>;

/** How the replay came to a result. `derived` means that the agent made the result itself, and `taken` that the log had it. */
export type Came = "derived" | "taken";

/**
 * Gives a call its result as the log says. A result that the agent made itself, such as a timeout, is made again by the agent's own transitions. Any
 * other result is what a worker or a person answered, and is joined.
 */
export async function resolveRecorded(
  world: ReplayWorld,
  event: ResolvedEvent,
  recorded: RecordedCall,
  activeMs: number,
): Promise<Came | null> {
  const snapshot = await world.snapshot(runOf(recorded));
  const call = snapshot.calls.find(({ value }) => value.callId === recorded.callId)?.value;
  if (!call || call.state === "resolved" || !recorded.result) return null;
  const { runId } = call;
  if (call.state === "asked" && recorded.result.status === "ok") {
    const said = JSON.parse(recorded.result.content) as { readonly answer?: unknown };
    const answered = answerCall(snapshot, answerEntry(runId, recorded.callId, String(said.answer)), world.rules);
    return (await world.commit(runId, answered.kind === "join" ? answered.change : null)) ? "taken" : null;
  }
  if (call.state !== "dispatched" || isAgentsOwn(recorded)) {
    const own = ownEnd(world, snapshot, { event, recorded, activeMs });
    if (own) return (await world.commit(runId, own)) ? "derived" : null;
  }
  // Nobody could answer a call that was not sent, and no worker gives such a result. So the agent of today would not come to it.
  if (call.dispatch === 0 || NEVER_TAKEN.has(recorded.result.error?.code ?? "")) return null;
  return (await joinRecorded(world, recorded)) ? "taken" : null;
}

/** The codes of results that only the agent makes, always from what the log has. */
const NEVER_TAKEN: ReadonlySet<string> = new Set([
  "skipped",
  "denied_by_user",
  "revision_requested",
  "approval_expired",
  "approval_lapsed",
  "no_answer",
]);

/** Joins the recorded result of a call, as an answer of its worker. Returns false if the call has its result already. */
export async function joinRecorded(world: ReplayWorld, recorded: RecordedCall): Promise<boolean> {
  const result = await resultOf(world, recorded);
  if (!result) return false;
  const shown = await shownOf(world, recorded);
  const snapshot = await world.snapshot(runOf(recorded));
  const joined = joinResult(
    { ...snapshot, ...(shown ? { shown: new Map([[recorded.callId, shown]]) } : {}) },
    { callId: recorded.callId, secretHash: null, result, ...(recorded.receipt ? { receipt: "not recorded" } : {}) },
    world.rules,
  );
  return world.commit(runOf(recorded), joined.kind === "join" ? joined.change : null);
}

interface Ending {
  readonly event: ResolvedEvent;
  readonly recorded: RecordedCall;
  /** The active time of the run at its end. */
  readonly activeMs: number;
}

/**
 * Returns the change with which the agent itself ends the call at this time. The log does not have what the agent saw in the worker's ledger. So each
 * possible sight is tried, and the one that fits the log is used. If none fits, the first one that ends the call is used, and the difference shows.
 */
function ownEnd(world: ReplayWorld, snapshot: Snapshot, { event, recorded, activeMs }: Ending): Change | null {
  const { callId } = recorded;
  const seen = recorded.result?.error?.code === "no_worker" ? { seen: null } : {};
  const why: Redispatch = { asked: false, unproven: false, forgetful: false, ...seen };
  const over: Snapshot = { ...snapshot, run: { ...snapshot.run, value: { ...snapshot.run.value, activeMs } } };
  const possible: readonly (() => Change | null)[] = [
    () => redispatch(snapshot, callId, null, world.rules, why),
    () => redispatch(snapshot, callId, null, world.rules, { ...why, forgetful: true }),
    () => redispatch(snapshot, callId, null, world.rules, { ...why, unproven: true }),
    () => redispatch(snapshot, callId, null, world.rules, { ...why, changed: true }),
    () => redispatch(snapshot, callId, sendingRow(recorded), world.rules, why),
    ...(isOutOfTime(recorded) ? [() => checkWaiting(over, world.rules)] : []),
    ...(recorded.result?.error?.code === "approval_lapsed" ? [() => renewed(snapshot, recorded, world.rules)] : []),
    ...(recorded.result?.error?.code === "approval_expired" ? [() => notRenewed(snapshot, recorded, world.rules)] : []),
  ];
  const ends = possible.flatMap((make) => {
    const change = make();
    const said = change && eventsIn(change, snapshot.run.value.runId).find((one) => one.type === "call.resolved" && one.callId === callId);
    return change && said ? [{ change, said }] : [];
  });
  const { sequence: _, ...expected } = event;
  return (ends.find(({ said }) => isSame(said, expected)) ?? ends[0])?.change ?? null;
}

/** Returns the change with which the agent takes a renewed grant that has come too late, or null if it waits for none. */
function renewed(snapshot: Snapshot, recorded: RecordedCall, rules: Rules): Change | null {
  const call = callOf(snapshot, recorded.callId);
  const renewal = call && renewalOf(call, recorded);
  return renewal ? callDecided(snapshot, renewal.decided, renewal.grant, rules) : null;
}

/** Returns the change with which the agent learns that an approval is over whose grant it wanted to renew, or null if it asks for none. */
function notRenewed(snapshot: Snapshot, recorded: RecordedCall, rules: Rules): Change | null {
  const call = callOf(snapshot, recorded.callId);
  const lapse = call && lapseOf(call, recorded);
  return lapse ? callDecided(snapshot, lapse, undefined, rules) : null;
}

/** Returns the worker's row of a call that the agent ended with what the worker had recorded, or null if a worker did not end it. */
export async function doneRow(world: ReplayWorld, recorded: RecordedCall): Promise<LedgerRow | null> {
  const result = recorded.receipt ? await resultOf(world, recorded) : null;
  return result && { ...sendingRow(recorded), state: "done", result, receipt: "not recorded" };
}

/** Returns whether the agent ended this call itself. A worker signs the result of a write, and the agent has sentences of its own for reads. */
function isAgentsOwn(recorded: RecordedCall): boolean {
  const { kind, receipt, result } = recorded;
  const code = result?.error?.code;
  if (code === undefined || receipt) return false;
  if (kind === "write") return OWN_CODES.has(code);
  return (
    code === "no_worker" || (code === "timeout" && (isOutOfTime(recorded) || result?.error?.message.startsWith("No worker of ") === true))
  );
}

function isOutOfTime({ result }: RecordedCall): boolean {
  return result?.error?.code === "timeout" && result.error.message.endsWith("did not answer within the run's active time.");
}

/** The codes with which the agent ends a sent write of which no worker reports an outcome. */
const OWN_CODES: ReadonlySet<string> = new Set(["cancelled", "tool_changed", "not_executed", "outcome_unknown", "approval_lapsed"]);

function sendingRow({ callId, toolName, toolHash }: RecordedCall): LedgerRow {
  return { callId, toolName, toolHash, argsHash: "", jti: "replay", state: "sending", fence: 1, lease: null, beganAt: 1, sendingAt: 1 };
}

function eventsIn(change: Change, runId: string): readonly RunEvent[] {
  return (change.append?.find(({ log }) => log === keys.events(runId))?.entries ?? []) as unknown as readonly RunEvent[];
}

function isSame(one: RunEvent, other: RunEvent): boolean {
  return canonicalJson(one as unknown as Json) === canonicalJson(other as unknown as Json);
}

function answerEntry(runId: string, callId: string, text: string) {
  return { kind: "answer" as const, entryId: `${callId}!answer`, runId, callId, agent: "replay", by: "replay", text, acceptedAt: 1 };
}

const runOf = ({ callId }: Pick<RecordedCall, "callId">): string => callId.replace(/\.\d+\.\d+$/, "");
