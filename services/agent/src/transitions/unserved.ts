import { type Call, failedResult, goneSince, type Registration, SEEN_FOR_MS, type ToolResult } from "@toolbus/contracts";
import type { AgentConfig } from "../settings.ts";
import type { Draft } from "./draft.ts";
import { heldMs } from "./resolved-call.ts";

/** What the registry says of the workers of a call's tool: null when nobody has registered it any more, undefined when nobody has looked. */
export type WorkerSeen = Pick<Registration, "lastSeenAt" | "leftAt" | "scalesToZero"> | null | undefined;

/**
 * Notes whether a worker lives that could answer a call which was sent: the run's clock stands still from the last sign of life on, people are told, and it goes on
 * when there is one again. Gives the call as it is from now on.
 */
export function noteWorker(draft: Draft, call: Call, seen: WorkerSeen): Call {
  if (call.state !== "dispatched" || seen === undefined) return call;
  const since = unservedFrom(draft, call, seen);
  if ((since === null) === (call.unservedSince === undefined)) return call;
  const { unservedSince: _, ...rest } = call;
  const noted: Call = since === null ? { ...rest, heldMs: heldMs(call, draft.now) } : { ...call, unservedSince: since };
  draft.noteCall(noted);
  const { callId, toolName: tool, toolset } = call;
  if (since !== null) draft.event({ type: "call.unserved", at: draft.now, callId, tool, toolset, since });
  return noted;
}

/**
 * How long until it is known whether a worker lives: one that has given no sign of life since the call was sent may have died of it. Null when that is known.
 */
export function knownIn(draft: Draft, call: Call, seen: WorkerSeen): number | null {
  if (call.state !== "dispatched" || !seen || goneSince(seen, draft.now) !== null) return null;
  if (seen.lastSeenAt >= firstSentAt(call, draft.rules.config)) return null;
  return seen.lastSeenAt + SEEN_FOR_MS + 1 - draft.now;
}

/** How often a call that was sent is looked at: a worker that stops, dies or comes back is noted within this time after the registry knows it. */
export const LOOK_AGAIN_MS = 15_000;

/**
 * How long a read without a living worker may wait still before the model is told so, by its profile; 0 when that is over. Null where it waits as any call does: a
 * worker lives or may, its toolset may be scaled to zero, the profile says nothing, or it is a write, whose ledger says what became of it.
 */
export function mayWaitFor(draft: Draft, call: Call, seen: WorkerSeen): number | null {
  const { noWorkerMs } = draft.profile?.limits ?? {};
  if (noWorkerMs === undefined || call.kind === "write" || call.unservedSince === undefined || seen?.scalesToZero) return null;
  return Math.max(0, call.unservedSince + noWorkerMs - draft.now);
}

/** What the model reads in place of an answer. */
export function noWorkerResult({ toolName, toolset, unservedSince = 0 }: Call): ToolResult {
  const since = new Date(unservedSince).toISOString().slice(0, 19).replace("T", " ");
  return failedResult("no_worker", `No worker of "${toolset}" lives since ${since} UTC, so "${toolName}" was not run.`);
}

/** Since when nobody could have answered; null while somebody may. */
function unservedFrom(draft: Draft, call: Call, seen: NonNullable<WorkerSeen> | null): number | null {
  const sent = firstSentAt(call, draft.rules.config);
  const gone = seen === null ? sent : goneSince(seen, draft.now);
  return gone === null ? null : Math.max(gone, sent);
}

function firstSentAt({ notAfter, sentAt }: Call, { CALL_NOT_AFTER_MS }: Pick<AgentConfig, "CALL_NOT_AFTER_MS">): number {
  return notAfter === null ? sentAt : notAfter - CALL_NOT_AFTER_MS;
}
