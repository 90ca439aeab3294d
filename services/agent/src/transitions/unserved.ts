import { type Call, failedResult, goneSince, type Registration, SEEN_FOR_MS, type ToolResult } from "@toolbus/contracts";
import type { AgentConfig } from "../settings.ts";
import type { Draft } from "./draft.ts";
import { heldMs } from "./resolved-call.ts";

/** What the registry says about the workers of a call's tool. Null if the tool is no longer registered. Undefined if the agent does not know. */
export type WorkerSeen = Pick<Registration, "lastSeenAt" | "leftAt" | "scalesToZero"> | null | undefined;

/**
 * Records whether a worker that could answer a sent call is alive. If no such worker is alive, the run's clock stops at the last heartbeat, and
 * people are notified. The clock continues with the next heartbeat. Returns the updated call.
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
 * Returns the milliseconds until the agent knows whether a worker is alive, or null if it knows already. A worker that has sent no heartbeat since
 * the call was sent may have died of the call.
 */
export function knownIn(draft: Draft, call: Call, seen: WorkerSeen): number | null {
  if (call.state !== "dispatched" || !seen || goneSince(seen, draft.now) !== null) return null;
  if (seen.lastSeenAt >= firstSentAt(call, draft.rules.config)) return null;
  return seen.lastSeenAt + SEEN_FOR_MS + 1 - draft.now;
}

/**
 * The interval at which the agent checks a sent call. If a worker stops, dies or comes back, the registry knows this first. The agent detects it at
 * most one interval later.
 */
export const LOOK_AGAIN_MS = 15_000;

/**
 * Returns how long a read without a living worker may still wait before the model gets `no_worker`, in milliseconds. Returns 0 if that time is over.
 * Returns null if there is no limit: a worker may be alive, its toolset may be scaled to zero, or the profile sets no limit. A write has no limit
 * either, because the ledger ends it.
 */
export function mayWaitFor(draft: Draft, call: Call, seen: WorkerSeen): number | null {
  const { noWorkerMs } = draft.profile?.limits ?? {};
  if (noWorkerMs === undefined || call.kind === "write" || call.unservedSince === undefined || seen?.scalesToZero) return null;
  return Math.max(0, call.unservedSince + noWorkerMs - draft.now);
}

/** Returns the result that the model reads instead of an answer. */
export function noWorkerResult({ toolName, toolset, unservedSince = 0 }: Call): ToolResult {
  const since = new Date(unservedSince).toISOString().slice(0, 19).replace("T", " ");
  return failedResult("no_worker", `No worker of "${toolset}" has been alive since ${since} UTC, so "${toolName}" was not run.`);
}

/** Returns the time since which nobody could have answered, or null while a worker may be alive. */
function unservedFrom(draft: Draft, call: Call, seen: NonNullable<WorkerSeen> | null): number | null {
  const sent = firstSentAt(call, draft.rules.config);
  const gone = seen === null ? sent : goneSince(seen, draft.now);
  return gone === null ? null : Math.max(gone, sent);
}

function firstSentAt({ notAfter, sentAt }: Call, { CALL_NOT_AFTER_MS }: Pick<AgentConfig, "CALL_NOT_AFTER_MS">): number {
  return notAfter === null ? sentAt : notAfter - CALL_NOT_AFTER_MS;
}
