import {
  type Call,
  type ConversationState,
  keys,
  type LedgerNote,
  type LedgerRow,
  type Run,
  type RunWrites,
  type SettledWrite,
  type StoredEntry,
  whatWasWritten,
  withSettled,
} from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { LOG_KEPT_MS, PendingChange } from "./pending-change.ts";
import { type Read, type Rules, timerIds } from "./rules.ts";

/** A write whose outcome was unknown when its call ended, with the documents that a commit about it may change. */
export interface Followed {
  readonly now: number;
  readonly call: Read<Call>;
  readonly run: Read<Run>;
  /** Null if the conversation is gone. */
  readonly conversation: Read<ConversationState> | null;
}

/** The ledger's record of the write. See `SeenLedger` for `unproven` and `forgetful`. */
export interface FollowedLedger {
  readonly row: LedgerRow | null;
  readonly unproven: boolean;
  readonly forgetful: boolean;
}

/** The time after the end of a call at which the agent first reads the ledger again, in milliseconds. */
export const FOLLOW_FIRST_MS = 60_000;
const FOLLOW_LONGEST_MS = 3_600_000;

/** Marks a call that ends as unknown. The agent follows the ledger of the call, because a worker that comes back may still record what happened. */
export function withFollowing(call: Call, now: number, { config }: Rules): Call {
  return { ...call, followUntil: now + config.FOLLOW_OUTCOME_MS };
}

/**
 * Handles the timer of a followed write. Records the outcome as soon as a worker has signed one in its ledger. Otherwise looks again later, or gives
 * up. The result that the model read stays. The run's record, its view and the conversation show the outcome that is known now. Returns null if
 * nothing is left to do.
 */
export function followWrite(followed: Followed, seen: FollowedLedger, rules: Rules): Change | null {
  const { call, now } = followed;
  const { followUntil, settled, callId } = call.value;
  if (followUntil === undefined) return null;
  const known = settled ?? outcomeIn(seen, now);
  if (known) return settle(followed, known, rules);
  const change = new PendingChange();
  change.guard(keys.call(callId), call.version);
  // If the row is done without an outcome, its worker does not know the outcome either. Then nobody will ever learn it.
  const over = now >= followUntil || (seen.row?.state === "done" && !seen.unproven);
  if (over) {
    const { followUntil: _, ...given } = call.value;
    change.put(keys.call(callId), { ...given, ...noteOf(seen) }, now + LOG_KEPT_MS);
  }
  change.timer(timerIds.call(callId), over ? null : nextLookIn(call.value, now));
  return change.build(`follow:${callId}:${rules.newNonce()}`, call.value.conversationId, now + LOG_KEPT_MS);
}

/** Returns the milliseconds until the next look. The interval doubles each time, up to an hour. */
function nextLookIn({ resolvedAt = 0, followUntil = 0 }: Call, now: number): number {
  return Math.max(1, Math.min(Math.max(FOLLOW_FIRST_MS, now - resolvedAt), FOLLOW_LONGEST_MS, followUntil - now));
}

/**
 * Returns the outcome that the ledger proves, else null. A store that lost commits may have lost an earlier state of the row, so the row then proves
 * nothing.
 */
function outcomeIn({ row, unproven, forgetful }: FollowedLedger, at: number): SettledWrite | null {
  if (row?.state !== "done" || !row.result || unproven || forgetful || row.result.status === "outcome_unknown") return null;
  const { status, error } = row.result;
  return { status, ...(error ? { code: error.code } : {}), at };
}

function settle({ now, call, run, conversation }: Followed, known: SettledWrite, rules: Rules): Change {
  const { callId, runId, conversationId, toolName: tool, settled: before } = call.value;
  const change = new PendingChange();
  let after = run.value;
  change.guard(keys.run(runId), run.version);
  change.guard(keys.call(callId), call.version);
  if (!before) {
    after = recordedIn(after, callId, known);
    if (after.endedAt === null) {
      after = { ...after, events: after.events + 1 };
      change.say(runId, [{ type: "call.settled", at: now, callId, tool, status: known.status, content: sentenceOf(call.value, known) }]);
    }
  }
  const isFree = conversation !== null && conversation.value.activeRun === null && conversation.value.deletedAt === undefined;
  if (conversation && isFree) {
    // If a run began in the meantime, the transcript already has its message, and this entry would follow it. The guard refuses the commit in that
    // case.
    change.guard(keys.conversation(conversationId), conversation.version);
    change.transcript([entryOf(call.value, run.value, known, now)]);
  }
  // The agent adds the outcome to the conversation only while none of its runs is active. It follows the call until then.
  const isOver = isFree || !conversation || conversation.value.deletedAt !== undefined || now >= (call.value.followUntil ?? 0);
  const { followUntil, ...given } = call.value;
  const noted: Call = { ...given, settled: known, ...(isOver || followUntil === undefined ? {} : { followUntil }) };
  change.put(keys.call(callId), noted, now + LOG_KEPT_MS);
  if (!before) change.put(keys.run(runId), after, after.endedAt === null ? undefined : now + rules.config.FINISHED_RUN_MS);
  change.timer(timerIds.call(callId), isOver ? null : FOLLOW_FIRST_MS);
  return change.build(`settle:${callId}:${rules.newNonce()}`, conversationId, now + LOG_KEPT_MS);
}

/**
 * Returns the run's record with the outcome of one of its writes. The outcome changes the counts and the filing of the report. It also changes the
 * run's ending if that begins with the writes.
 */
function recordedIn(run: Run, callId: string, { status, code, at }: SettledWrite): Run {
  const { writes, report, ending } = run;
  if (!writes) return run;
  const settled = withSettled(writes, { callId, status, ...(code === undefined ? {} : { code }), at });
  return {
    ...run,
    writes: settled,
    ...(report?.filing.callId === callId && report.filing.status === "outcome_unknown"
      ? { report: { ...report, filing: { ...report.filing, status: status === "ok" ? "filed" : "failed" } as const } }
      : {}),
    ...(ending ? { ending: { ...ending, text: withCorrectedCount(ending.text, writes, settled) } } : {}),
  };
}

function withCorrectedCount(text: string, before: RunWrites, after: RunWrites): string {
  const earlier = whatWasWritten(before);
  if (earlier === null || !text.startsWith(earlier)) return text;
  return (whatWasWritten(after) ?? "No write happened") + text.slice(earlier.length);
}

/** Returns the outcome as a separate message after the run's last one. */
function entryOf(call: Call, { round }: Run, known: SettledWrite, at: number): StoredEntry {
  const text = sentenceOf(call, known);
  return { type: "assistant", runId: call.runId, round: round + 1, text, calls: [], at, provider: "toolbus", model: "ledger" };
}

/** Describes the outcome in a sentence for people and for the model's next turn. */
function sentenceOf({ toolName, effect, approvedBy = [] }: Call, { status, code }: SettledWrite): string {
  const what = effect === undefined ? toolName : `${toolName} (${effect.replace(/\.$/, "")})`;
  const by = approvedBy.length === 0 || approvedBy[0] === "policy" ? "" : `, approved by ${approvedBy.join(" and ")},`;
  const outcome = status === "ok" ? "it happened" : `it did not happen (${code ?? status})`;
  return `The outcome of ${what}${by} was unknown and is known now: ${outcome}.`;
}

/** Returns the part of the ledger's row that an ended call keeps. */
function noteOf({ row }: FollowedLedger): { readonly ledger?: LedgerNote } {
  return row ? { ledger: ledgerNote(row) } : {};
}

/** Returns the parts of a row that people need. */
export function ledgerNote({ state, fence: attempt, beganAt, sendingAt, doneAt, lease }: LedgerRow): LedgerNote {
  const since = (state === "done" ? doneAt : state === "sending" ? sendingAt : undefined) ?? beganAt;
  return { state, attempt, since, ...(lease ? { leaseUntil: lease.until } : {}) };
}
