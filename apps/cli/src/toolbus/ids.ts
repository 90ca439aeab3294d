import { isApprovalId, isCallId, isConversationId, isDeadLetterId, isRunId } from "@toolbus/contracts";
import { EXIT } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { SELF } from "./self.ts";

const KINDS = {
  run: { is: isRunId, form: "rn_00_ and 26 characters", list: "runs list" },
  conversation: { is: isConversationId, form: "cv_00_ and 26 characters", list: "conversations list" },
  call: { is: isCallId, form: "a run's id, a dot, the round, a dot and the number", list: "runs show" },
  "dead letter": { is: isDeadLetterId, form: "dl_00_ and 26 characters", list: "dead-letters list" },
  approval: { is: isApprovalId, form: "ap_ and the id of a call", list: "approvals list" },
} as const;

/** Returns the id that the user typed. Throws a Failure, without asking a server, if the text cannot be an id of this kind. */
export function idOf(kind: keyof typeof KINDS, typed: string | undefined): string {
  const { is, form, list } = KINDS[kind];
  const id = typed ?? "";
  if (is(id)) return id;
  throw new Failure(
    EXIT.usage,
    `"${id.slice(0, 80)}" is not the id of ${article(kind)}: such an id is ${form}; "${SELF} ${list}" shows them.`,
  );
}

const article = (kind: string): string => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`);
