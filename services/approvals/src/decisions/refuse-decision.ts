import { type Approval, type DecisionToken, shardOf } from "@toolbus/contracts";
import type { Outbox } from "@toolbus/runtime";
import { expire, type Read } from "../machine/approval.ts";
import type { RecordSecurityEvent } from "../sealed/security.ts";
import { type DecisionOutcome, no } from "./decision-outcome.ts";

type Illegal = "final" | "expired" | "token_used" | "twice" | "older_card" | "unplanned" | "older_plan";

/**
 * Returns the refusal of a decision that the machine does not allow. A token that was used before is recorded as a security event. Returns null if
 * somebody else changed the approval meanwhile, so that the caller reads again.
 */
export async function refuseDecision(
  { outbox, security }: { readonly outbox: Outbox; readonly security: RecordSecurityEvent },
  why: Illegal,
  read: Read<Approval>,
  token: Read<DecisionToken>,
  now: number,
): Promise<DecisionOutcome | null> {
  const approval = read.value;
  const { approvalId } = approval;
  switch (why) {
    case "token_used":
      await security(shardOf(approvalId), {
        kind: "token_reused",
        approvalId,
        by: token.value.approver,
        details: { first: token.value.used },
      });
      return { ...no("token_used", `You have already decided "${token.value.used ?? ""}", and a person decides once.`), approval };
    case "twice":
      return no("forbidden", "You have already decided this: it needs another approver.");
    case "older_card":
      return {
        ...no("arguments_changed", `"${approval.edited?.by ?? "The agent"}" set other arguments than those on the card that you saw.`),
        approval,
      };
    case "unplanned":
      return { ...no("not_planned", "The worker has not yet said what this write will change, so nobody can approve it."), approval };
    case "older_plan":
      return { ...no("plan_changed", "This decision does not name the plan that is on the card now."), approval };
    case "final":
      return { ...no("already_decided", `This ended as "${approval.status}".`), approval };
    case "expired":
      return refuseOverdue(outbox, read, now);
  }
}

/**
 * Ends an approval whose time is over, and returns the refusal of a decision about it. The timer would end the approval soon. But after this answer
 * no decision may find the approval open, and a repeat of the request must get the same answer. Returns null if somebody else changed the approval
 * meanwhile, so that the caller reads again.
 */
export async function refuseOverdue(outbox: Outbox, read: Read<Approval>, now: number): Promise<DecisionOutcome | null> {
  const ended = expire(read, { now });
  if (ended.kind === "move" && (await outbox.commit(shardOf(read.value.approvalId), ended.change)).outcome !== "ok") return null;
  return {
    ...no("expired", "The time to decide is over. The write did not run."),
    approval: ended.kind === "move" ? ended.approval : read.value,
  };
}
