import type { InboxEntry } from "@toolbus/contracts";
import type { Change } from "@toolbus/state";
import { answerResult } from "./ask.ts";
import { callOf } from "./decided.ts";
import { Draft } from "./draft.ts";
import type { Snapshot } from "./snapshot.ts";
import { resolveCall } from "./resolve-call.ts";
import type { Rules } from "./rules.ts";

export type AnswerEntry = Extract<InboxEntry, { kind: "answer" }>;

export type Answered =
  | { readonly kind: "join"; readonly change: Change }
  /** The call already has its result, from an earlier answer, the expiry or a cancel. That result stays. */
  | { readonly kind: "duplicate" }
  /** The call does not wait for the person, or is not part of the run's current round. */
  | { readonly kind: "not_asked" };

/** Joins the person's first answer to the call that asks for it, once. */
export function answerCall(snapshot: Snapshot, { callId, text }: AnswerEntry, rules: Rules): Answered {
  const call = callOf(snapshot, callId);
  if (call?.state === "resolved") return { kind: "duplicate" };
  if (call?.state !== "asked") return { kind: "not_asked" };
  const draft = new Draft(snapshot, rules);
  resolveCall(draft, call, answerResult(text));
  return { kind: "join", change: draft.build(`answer:${callId}`) };
}
