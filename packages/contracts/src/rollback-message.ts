import { messageIds } from "./ids.ts";
import { type Message, message } from "./message.ts";
import { type ApprovalRollback, messageTypes } from "./messages.ts";
import { topics } from "./topics.ts";

/** Returns the message that reports lost commits to approvals. `id` is new for every message. */
export function rollbackMessage(parts: {
  readonly losses: ApprovalRollback["losses"];
  readonly source: string;
  readonly id: string;
  readonly now: number;
}): Message {
  return message({
    id: messageIds.other("rollback", parts.id, 1),
    topic: topics.approvalRollback,
    type: messageTypes.approvalRollback,
    source: parts.source,
    now: parts.now,
    body: { losses: parts.losses } satisfies ApprovalRollback,
  });
}
