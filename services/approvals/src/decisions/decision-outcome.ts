import type { Approval, Problem } from "@toolbus/contracts";
import type { RefusedApproval } from "../sealed/approval-documents.ts";

/** Why a decision was refused. `approval` is the state that the person has to know. */
export interface NotDecided {
  readonly kind: "no";
  readonly why:
    | "not_found"
    | "self_approval"
    | "forbidden"
    | "token_used"
    | "already_decided"
    | "expired"
    | "ticket_missing"
    | "ticket_wrong"
    | "pin_changed"
    | "arguments_changed"
    | "not_planned"
    | "plan_changed"
    | "edit_refused"
    | "not_in_batch"
    | "damaged";
  readonly reason: string;
  /** What is wrong with edited arguments. */
  readonly problems?: readonly Problem[];
  readonly approval?: Approval;
}

/** `approval` is the approval as this decision left it, even if the decision is a repeat. */
export type DecisionOutcome = { readonly kind: "decided"; readonly approval: Approval } | NotDecided;

/** Returns a refusal without an approval. */
export function no(why: NotDecided["why"], reason: string): NotDecided {
  return { kind: "no", why, reason };
}

/** Returns the refusal for a document that is not valid. It shows neither the owner nor the content of the document. */
export function damaged({ why }: RefusedApproval): NotDecided {
  if (why === "unsealed")
    return no("damaged", "This approval was stored without a seal, by an earlier version or by somebody else, so it cannot be decided.");
  return no("damaged", "The stored approval is not the one that the approvals service stored last, so it cannot be decided.");
}

/** The problem of arguments that came with a decision other than "approve". */
export const UNWANTED: Problem = { path: "/arguments", message: 'is only for the decision "approve"' };

/** The problem of edited arguments that have no canonical form. */
export const NOT_CANONICAL: Problem = { path: "/arguments", message: "has a text or a number that JSON cannot represent" };
