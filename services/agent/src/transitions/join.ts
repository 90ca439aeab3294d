import { type Call, failedResult, type ToolResult } from "@toolbus/contracts";
import { resultHash, secretHash } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { refusedCall } from "./call-rights.ts";
import { Draft } from "./draft.ts";
import { finishRound } from "./finish-round.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Rules } from "./rules.ts";
import { dispatch } from "./dispatch-call.ts";
import { endCall } from "./end-call.ts";
import { requestGrant } from "./request-grant.ts";

/** An answer as it came from a worker, or from its ledger. */
export interface Answer {
  readonly callId: string;
  /** Proves that the sender of the answer saw the invoke; null for a result from the ledger. */
  readonly secretHash: string | null;
  readonly result: ToolResult;
}

export type Joined =
  | { readonly kind: "join"; readonly change: Change }
  /** Nobody asked for it, or it was not asked of the one who answers. */
  | { readonly kind: "orphan"; readonly why: string }
  /** Resolved already; `differs` when this answer is another one: a tool that does not repeat itself. */
  | { readonly kind: "duplicate"; readonly differs: boolean };

/** Joins a result once: the first one wins, the last one of a round makes the run ready. */
export function joinResult(snapshot: Snapshot, answer: Answer, rules: Rules): Joined {
  const call = snapshot.calls.find((known) => known.value.callId === answer.callId)?.value;
  if (!call) return { kind: "orphan", why: "no such call in the current round" };
  if (answer.secretHash !== null && answer.secretHash !== secretHash(call.secret))
    return { kind: "orphan", why: "the secret of the invoke is not echoed" };
  if (call.state === "resolved")
    return { kind: "duplicate", differs: resultHash(call.result ?? { content: "" }) !== resultHash(answer.result) };
  const draft = new Draft(snapshot, rules);
  resolveCall(draft, call, answer.result);
  return { kind: "join", change: draft.build(`join:${call.callId}`) };
}

/** Ends one call within a transition and does what follows from it: skipped writes, the next write, the end of the round. */
export function resolveCall(draft: Draft, call: Call, result: ToolResult): void {
  endCall(draft, call, result);
  if (call.kind === "write" && stopsWrites(result) && draft.profile?.continueAfterFailedWrite !== true) {
    for (const waiting of draft.open) {
      // An earlier write that people may still be deciding about was asked for separately; one that was sent ends by its answer.
      if (waiting.kind !== "write" || waiting.index < call.index || waiting.dispatch > 0) continue;
      endCall(
        draft,
        waiting,
        failedResult("skipped", `Not run, because the write before it (${call.toolName}) ended as ${result.status}.`),
      );
    }
  }
  sendNextWrite(draft);
  finishRound(draft);
}

const stopsWrites = ({ status }: ToolResult): boolean =>
  status === "denied" || status === "outcome_unknown" || status === "cancelled" || status === "not_executed";

/** A grant that ends within this margin is asked for again instead of sent. */
export const GRANT_MARGIN_MS = 60_000;

/** Writes run one after another, after the reads: sends the first open one when it holds its grant and nothing before it is open. */
export function sendNextWrite(draft: Draft): void {
  if (draft.run.cancel) return;
  const open = draft.open;
  if (open.some((call) => call.kind !== "write")) return;
  const next = open[0];
  if (next?.state !== "granted") return;
  const { now } = draft;
  const refused = next.dispatch > 0 ? null : refusedCall(draft.run, next);
  if (refused) return resolveCall(draft, next, refused);
  if ((next.grantExpiresAt ?? 0) > now + GRANT_MARGIN_MS || next.grantExpiresAt === undefined) dispatch(draft, next);
  else if ((next.executeBy ?? 0) > now) requestGrant(draft, next);
  else if (mayBeginUntil(next) >= now) waitForLedger(draft, next);
  else resolveCall(draft, next, lapsed());
}

/** Until when a worker may begin this write, by what was sent so far: the store refuses every later begin. 0 if nothing was sent. */
export function mayBeginUntil({ dispatch, notAfter, grantExpiresAt }: Call): number {
  if (dispatch === 0) return 0;
  return Math.min(notAfter ?? Number.POSITIVE_INFINITY, grantExpiresAt ?? Number.POSITIVE_INFINITY);
}

/** A sent write does not end before its ledger can say what became of it: its timer checks when no worker can begin it any more. */
export function waitForLedger(draft: Draft, call: Call): void {
  const left = mayBeginUntil(call) - draft.now;
  draft.setCall({ ...call, state: "dispatched" }, Math.max(1, Math.min(left + 1, draft.rules.config.REDISPATCH_MAX_MS)));
}

/** The result of a write whose approval was not used in time. */
export function lapsed(): ToolResult {
  return failedResult(
    "approval_lapsed",
    "The approval was not used in time and is void. Ask the person to start again if it is still wanted.",
  );
}
