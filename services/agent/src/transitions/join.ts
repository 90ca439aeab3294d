import type { Call, ToolResult } from "@toolbus/contracts";
import { resultHash, secretHash } from "@toolbus/grants";
import type { Change } from "@toolbus/state";
import { Draft } from "./draft.ts";
import { noteQuestions } from "./note-questions.ts";
import type { Snapshot } from "./snapshot.ts";
import { resolveCall } from "./resolve-call.ts";
import { withReceipt } from "./resolved-call.ts";
import type { Rules } from "./rules.ts";

/** An answer from a worker, or from its ledger. */
export interface Answer {
  readonly callId: string;
  /** Proves that the sender of the answer saw the invoke. Null for a result from the ledger. */
  readonly secretHash: string | null;
  readonly result: ToolResult;
  /** The worker's receipt for the result. The caller has verified the receipt of a write. */
  readonly receipt?: string;
}

export type Joined =
  | { readonly kind: "join"; readonly change: Change }
  /** The call is not in the current round, or the sender of the answer did not see the call's invoke. */
  | { readonly kind: "orphan"; readonly why: string }
  /** The call is already resolved. `differs` is true if this answer differs from the first one, because the tool does not repeat its answers. */
  | { readonly kind: "duplicate"; readonly differs: boolean };

/** Joins a result once. The first result of a call wins, and the last result of a round makes the run ready. */
export function joinResult(snapshot: Snapshot, answer: Answer, rules: Rules): Joined {
  const call = snapshot.calls.find((known) => known.value.callId === answer.callId)?.value;
  if (!call) return { kind: "orphan", why: "no such call in the current round" };
  if (answer.secretHash !== null && answer.secretHash !== secretHash(call.secret))
    return { kind: "orphan", why: "the secret of the invoke is not echoed" };
  if (call.state === "resolved") return { kind: "duplicate", differs: hashOf(call) !== resultHash(answer.result) };
  const draft = new Draft(snapshot, rules);
  resolveCall(draft, withReceipt(noteQuestions(draft, call, snapshot.questions), answer), answer.result);
  return { kind: "join", change: draft.build(`join:${call.callId}`) };
}

function hashOf({ entry, result }: Call): string {
  return entry?.contentHash ?? resultHash(result ?? { content: "" });
}
