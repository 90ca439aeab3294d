import { type Call, failedResult, type LedgerRow, type ToolResult } from "@toolbus/contracts";
import { secretHash } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { leaseLives } from "./acquire.ts";
import { noAnswerResult } from "./ask.ts";
import { refusedCall } from "./call-rights.ts";
import { callOf } from "./decided.ts";
import { Draft } from "./draft.ts";
import { ledgerNote, withFollowing } from "./follow.ts";
import { noteQuestions } from "./note-questions.ts";
import type { Snapshot } from "./snapshot.ts";
import { GRANT_MARGIN_MS } from "./next-write.ts";
import { continueWrites, resolveCall } from "./resolve-call.ts";
import { withReceipt } from "./resolved-call.ts";
import type { Rules } from "./rules.ts";
import { lapsed, mayBeginUntil, waitForLedger } from "./sent-write.ts";
import { knownIn, LOOK_AGAIN_MS, mayWaitFor, noteWorker, noWorkerResult, type WorkerSeen } from "./unserved.ts";
import { dispatch, repeat } from "./dispatch-call.ts";
import { requestGrant } from "./request-grant.ts";
import { resendAfter, resendCallAfter } from "./resend-after.ts";

/** The number of times that the agent sends a call automatically. After that it only waits for the answer. */
export const MAX_INVOKES = 5;

// The number of times that workers with another definition must refuse an approved write before the agent ends it. During a deployment, a later try may
// reach a worker that still has the approved definition.
const REFUSALS_OF_CHANGED = 3;

/** The reason in the stop of a write whose workers have another definition than the approved one. */
export const TOOL_CHANGED = "tool_changed";

// How long after a write's deadline the agent still sends the write to a worker that can ask the target what happened.
const RECONCILE_FOR_MS = 3_600_000;

export interface Redispatch {
  /** True if a person asked for this check. A call that has used up its automatic dispatches is then sent once more. */
  readonly asked: boolean;
  /** See `SeenLedger`. */
  readonly unproven: boolean;
  readonly forgetful: boolean;
  readonly changed?: boolean;
  readonly seen?: WorkerSeen;
}

const BY_ITSELF: Redispatch = { asked: false, unproven: false, forgetful: false };

/**
 * Handles a call's timer. Requests the grant again, sends the call again, or ends the call if no other outcome is possible any more. `ledger` is the
 * worker's row of a dispatched write, or null if the write never began. Returns null if the call needs no timer.
 */
export function redispatch(
  snapshot: Snapshot,
  callId: string,
  ledger: LedgerRow | null,
  rules: Rules,
  why: Redispatch = BY_ITSELF,
): Change | null {
  const before = callOf(snapshot, callId);
  if (!before || before.state === "resolved") return null;
  const draft = new Draft(snapshot, rules);
  const call = noteQuestions(draft, before, snapshot.questions);
  if (call !== before) draft.noteCall(call);
  // Only the ledger ends a sent write, whatever rights the requester has now.
  const refused = call.kind === "write" && call.dispatch > 0 ? null : refusedCall(draft.run, call);
  if (refused && call.state !== "asked") resolveCall(draft, call, refused);
  else lookAgain(draft, call, ledger, why);
  // The version of the run gives each check of the call a different op.
  return draft.build(`redispatch:${callId}:${snapshot.run.version}.${call.dispatch}.${call.requests}`);
}

function lookAgain(draft: Draft, call: Call, ledger: LedgerRow | null, why: Redispatch): void {
  switch (call.state) {
    case "requested":
      requestGrant(draft, call);
      break;
    case "held":
      requestGrant(draft, call, "held");
      break;
    case "asked":
      waitOrGiveUp(draft, call);
      break;
    case "queued":
    case "granted":
      draft.callTimer(call.callId, draft.rules.config.REDISPATCH_MAX_MS);
      continueWrites(draft);
      break;
    case "dispatched":
      lookAtSent(draft, noteWorker(draft, call, why.seen), ledger, why);
      break;
    case "resolved":
      break;
  }
}

function lookAtSent(draft: Draft, call: Call, ledger: LedgerRow | null, why: Redispatch): void {
  const left = mayWaitFor(draft, call, why.seen);
  if (left === 0) return resolveCall(draft, call, noWorkerResult(call));
  if (call.kind === "write") redispatchWrite(draft, why.unproven ? call : noteLedger(draft, call, ledger), ledger, why);
  else redispatchRead(draft, call, why);
  if (why.seen === undefined) return;
  // The next send is much later, if there is one. Until then the agent must still notice a worker that stops or dies.
  draft.callTimerWithin(call.callId, Math.min(left ?? knownIn(draft, call, why.seen) ?? LOOK_AGAIN_MS, LOOK_AGAIN_MS));
}

/**
 * Asks approvals for a fresh grant, because a worker found the grant genuine but stale and began nothing. If workers have another definition than the
 * approved one, a fresh grant does not help them. So after several tries, the agent stops the write instead, and its ledger decides how it ends.
 * `toolHash` is the hash of the worker's definition. Returns null if the call is not a sent write, the run is cancelled, or the secret is wrong.
 */
export function grantStale(
  snapshot: Snapshot,
  answer: { readonly callId: string; readonly secretHash: string | null; readonly toolHash: string | null },
  rules: Rules,
): Change | null {
  const call = callOf(snapshot, answer.callId);
  if (call?.state !== "dispatched" || call.kind !== "write" || snapshot.run.value.cancel || answer.secretHash !== secretHash(call.secret))
    return null;
  const draft = new Draft(snapshot, rules);
  // Neither dispatches that nobody answered nor requests while people decided are refusals, so the smaller number counts.
  const tries = Math.min(call.dispatch, call.requests);
  if (answer.toolHash !== null && answer.toolHash !== call.toolHash && tries >= REFUSALS_OF_CHANGED) {
    // Another worker may still have an earlier invoke. After the stop, no worker sends the write, and the timer then reads the ledger.
    draft.stop(call, TOOL_CHANGED);
    draft.setCall(call, 0);
  } else if (tries === 1) requestGrant(draft, call);
  // The agent requests a fresh grant at once only the first time. After that, the timer requests it after longer and longer waits. If fresh grants
  // are stale again, a worker probably does not have our keys.
  else draft.setCall({ ...call, state: "requested" }, resendAfter(tries, rules));
  return draft.build(`stale:${call.callId}:${call.requests}.${call.dispatch}`);
}

/** Waits for the person's answer, or ends the question if it has expired. The timer is early if a restart makes every timer due. */
function waitOrGiveUp(draft: Draft, call: Call): void {
  const left = (call.askExpiresAt ?? draft.now) - draft.now;
  if (left > 0) draft.callTimer(call.callId, left);
  else resolveCall(draft, call, noAnswerResult(draft.now - call.createdAt));
}

function redispatchRead(draft: Draft, call: Call, why: Redispatch): void {
  if (draft.now >= deadline(draft, call)) {
    resolveCall(draft, call, failedResult("timeout", `No worker of "${call.toolset}" answered "${call.toolName}" in time.`));
  } else sendAgain(draft, call, why);
}

function redispatchWrite(draft: Draft, call: Call, row: LedgerRow | null, why: Redispatch): void {
  const { now } = draft;
  // Until the deadline, a worker may still answer. After the deadline, the write may have happened, because the row cannot be trusted.
  if (why.unproven) return now < deadline(draft, call) ? sendAgain(draft, call, why) : resolveUnknown(draft, call, unproven(call));
  if (row?.state === "done" && row.result) return resolveCall(draft, withReceipt(call, row), row.result);
  if ((draft.run.cancel || why.changed) && row?.state !== "sending") {
    // The stop was committed before this row was read. So a write that has not begun to send can no longer be sent.
    if (why.forgetful) return resolveUnknown(draft, call, forgotten(call));
    return resolveCall(draft, call, draft.run.cancel ? cancelled() : toolChanged(call));
  }
  if (row?.lease && leaseLives(row.lease, now, draft.rules.ownersDeadBefore))
    return draft.callTimer(call.callId, row.lease.until - now + 1);
  if (now < deadline(draft, call)) {
    const begun = row !== null;
    if (!begun && call.grantExpiresAt !== undefined && call.grantExpiresAt <= now + GRANT_MARGIN_MS && now < (call.notAfter ?? now)) {
      if ((call.executeBy ?? 0) > now) return requestGrant(draft, call);
      return mayBeginUntil(call) >= now ? waitForLedger(draft, call) : resolveCall(draft, call, lapsed());
    }
    return sendAgain(draft, call, why);
  }
  if (row?.state !== "sending")
    return why.forgetful ? resolveUnknown(draft, call, forgotten(call)) : resolveCall(draft, call, notExecuted(call));
  const sendingAt = row.sendingAt ?? row.beganAt;
  const goOnUntil =
    call.idempotency === "key"
      ? sendingAt + call.keepsForMs
      : call.idempotency === "reconcile"
        ? deadline(draft, call) + RECONCILE_FOR_MS
        : 0;
  if (now >= goOnUntil) return resolveUnknown(draft, call, outcomeUnknown(call));
  dispatch(draft, call);
  draft.callTimer(call.callId, Math.min(draft.rules.config.REDISPATCH_MAX_MS, goOnUntil - now));
}

/**
 * Ends a write although no worker reported its outcome. The agent follows the ledger, because a worker that comes back may still record the outcome.
 */
function resolveUnknown(draft: Draft, call: Call, result: ToolResult): void {
  resolveCall(draft, withFollowing(call, draft.now, draft.rules), result);
}

/** Records the state of the ledger in the call, for people who ask what the run waits for. */
function noteLedger(draft: Draft, call: Call, row: LedgerRow | null): Call {
  if (!row) return call;
  const ledger = ledgerNote(row);
  const { state, attempt, leaseUntil } = call.ledger ?? {};
  if (state === ledger.state && attempt === ledger.attempt && leaseUntil === ledger.leaseUntil) return call;
  const noted: Call = { ...call, ledger };
  draft.noteCall(noted);
  return noted;
}

function sendAgain(draft: Draft, call: Call, { asked }: Redispatch): void {
  const early = call.sentAt + resendCallAfter(call, draft.rules) - draft.now;
  if (call.sentAt < draft.rules.ownersDeadBefore) repeat(draft, call);
  // Two agents may handle the same timer, and one of them may be late after a long pause. The late one must not repeat what the other one sent a
  // moment ago.
  else if (!asked && early > 0) draft.callTimer(call.callId, early);
  else if (asked || call.dispatch < MAX_INVOKES) dispatch(draft, call);
  else draft.callTimer(call.callId, Math.max(1, deadline(draft, call) - draft.now));
}

/** Returns the time after which every answer that can arrive is in the ledger. It is the not-after plus the tool's timeout plus a worker's lease. */
function deadline(draft: Draft, call: Call): number {
  return (call.notAfter ?? draft.now) + call.timeoutMs + draft.rules.config.LEDGER_LEASE_MS;
}

function notExecuted(call: Call): ToolResult {
  return failedResult("not_executed", `No worker of "${call.toolset}" began "${call.toolName}" in time; nothing was done.`);
}

function cancelled(): ToolResult {
  return failedResult("cancelled", "The run was cancelled before this write was sent; nothing was done.");
}

function toolChanged({ toolName, toolVersion }: Call): ToolResult {
  return failedResult(
    "tool_changed",
    `The definition of "${toolName}" was changed under version ${toolVersion} after this run began. The approval is for the earlier definition, which its worker no longer has; nothing was done. A new run sees the new definition and can ask for approval again.`,
  );
}

function forgotten(call: Call): ToolResult {
  return failedResult(
    "outcome_unknown",
    `The state store has lost writes since "${call.toolName}" was asked for. Whether it was executed is not known; check the target before anything is repeated.`,
  );
}

function unproven(call: Call): ToolResult {
  return failedResult(
    "outcome_unknown",
    `What the ledger says of "${call.toolName}" is not what a worker of "${call.toolset}" signed. It may or may not have happened; check the target before anything is repeated.`,
  );
}

function outcomeUnknown(call: Call): ToolResult {
  return failedResult(
    "outcome_unknown",
    `"${call.toolName}" was sent, but its worker died before it learned the outcome. It may or may not have happened; check the target before anything is repeated.`,
  );
}
