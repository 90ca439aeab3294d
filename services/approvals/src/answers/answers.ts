import {
  APPROVERS_NEEDED,
  type Approval,
  type ApprovalDecided,
  type ApprovalHeld,
  attributes,
  type Decision,
  type Json,
  type Message,
  message,
  messageIds,
  messageTypes,
  type ToolPlan,
  topics,
} from "@toolbus/contracts";
import { type Identity, signGrant, signMessage } from "@toolbus/grants";
import { type AnswerRow, parseRow } from "../machine/answer-row.ts";
import { approvalAt, askedOf, counting } from "../machine/edited.ts";
import type { ApprovalDocuments } from "../sealed/approval-documents.ts";
import { grantClaims } from "./grant-claims.ts";

/**
 * Returns a function that makes the message of an outbox row when the relay publishes the row. The function signs the grant at that moment, from the
 * stored approval. So the store contains no grant that somebody could steal, and a repeat of a row has the same bytes. It signs the whole message of a
 * decision too, because the agent tells people about every decision. The function returns null, and signs nothing, for an approval that this service
 * did not store, and for a row that nobody needs any more.
 */
export function answerMaker(options: {
  readonly documents: Pick<ApprovalDocuments, "approval">;
  readonly identity: Identity;
}): (row: { readonly message: Json }) => Promise<Message | null> {
  const { documents, identity } = options;
  return async (stored) => {
    const row = parseRow(stored.message);
    const approval = await documents.approval(row.approvalId);
    if (approval === null) return null;
    if (row.answer === "held") return heldMessage(approval, row);
    // A question that was not sent in time is not needed any more.
    if (row.answer === "plan") return approval.planning === undefined ? null : planMessage(approval, row);
    // People have to decide again, because the target has changed since. The earlier decision does not count any more, so nobody needs to hear it.
    if (row.answer === "decided" && approval.status === "pending") return null;
    const terms = row.answer === "decided" && approval.status === "approved" ? approval.grant : undefined;
    const grant = terms && (await signGrant(grantClaims({ ...approval, grant: terms }), identity.signer));
    return signMessage(decidedMessage(approval, row, grant), identity);
  };
}

function heldMessage(approval: Approval, { n, at }: AnswerRow): Message {
  // The message shows the arguments and the people who had approved them when the row was written. So a repeat of the row has the same bytes. Each
  // later approval or edit has its own row.
  const then = approvalAt(approval, at);
  const { callId, approvalId, tier, expiresAt, effect, agent, need } = then;
  const approvedBy = counting(then).map(({ approver }) => approver);
  const body: ApprovalHeld = {
    toolCallId: callId,
    approvalId,
    tier,
    expiresAt,
    effect,
    ...(approvedBy.length > 0 ? { approvedBy } : {}),
    ...(need === APPROVERS_NEEDED[tier] ? {} : { approversNeeded: need }),
  };
  return message({
    id: messageIds.other("held", approvalId, n),
    topic: topics.approvalHeld(agent),
    type: messageTypes.approvalHeld,
    source: SOURCE,
    now: at,
    correlationId: callId,
    attributes: { [attributes.agent]: agent, [attributes.toolHash]: approval.toolHash },
    body,
  });
}

/**
 * Returns the message that asks what a write will change. The message has the current arguments, because nobody needs a plan for earlier arguments.
 */
function planMessage(approval: Approval, { n, at }: AnswerRow): Message {
  const { callId: toolCallId, approvalId, toolset, toolName, toolVersion, toolHash, arguments: args, conversationId: sessionId } = approval;
  const body: ToolPlan = { toolCallId, toolName, toolVersion, toolHash, arguments: args, sessionId };
  return message({
    id: messageIds.other("plan", approvalId, n),
    topic: topics.plan(toolset),
    type: messageTypes.toolPlan,
    source: SOURCE,
    now: at,
    correlationId: toolCallId,
    attributes: { [attributes.agent]: approval.agent, [attributes.toolVersion]: toolVersion, [attributes.toolHash]: toolHash },
    body,
  });
}

function decidedMessage(approval: Approval, row: AnswerRow, grant: string | undefined): Message {
  const { callId, approvalId, agent } = approval;
  return message({
    id: messageIds.other("decided", approvalId, row.n),
    topic: topics.approvalDecided(agent),
    type: messageTypes.approvalDecided,
    source: SOURCE,
    now: row.at,
    correlationId: callId,
    attributes: {
      [attributes.agent]: agent,
      [attributes.toolHash]: approval.toolHash,
      [attributes.grant]: grant,
      [attributes.era]: grant === undefined ? undefined : approval.grant?.era,
    },
    body: decidedBody(approval, row, grant !== undefined),
  });
}

function decidedBody(approval: Approval, { answer, reason }: AnswerRow, granted: boolean): ApprovalDecided {
  const { callId: toolCallId, approvalId, decisions, status, grant, effect } = approval;
  const comment = decisions.at(-1)?.comment;
  const decided = {
    toolCallId,
    approvalId,
    decidedBy:
      decisions.length > 0 ? peopleIn(status === "approved" ? counting(approval) : decisions) : status === "approved" ? ["policy"] : [],
    ...(comment === undefined ? {} : { comment }),
  };
  if (answer === "lapsed") return { ...decided, outcome: "expired", reason: LAPSED };
  if (answer === "withdrawn") return { ...decided, outcome: "refused", reason: reason ?? "" };
  if (status === "pending") throw new Error(`Approval ${approvalId} is not decided, but a row says so.`);
  return {
    ...decided,
    outcome: status,
    ...(approval.reason === undefined ? {} : { reason: approval.reason }),
    ...(granted && grant ? { grantExpiresAt: grant.expiresAt, executeBy: grant.executeBy } : {}),
    ...(granted && askedOf(approval).argsHash !== approval.argsHash ? { arguments: approval.arguments, effect } : {}),
  };
}

/** Returns the people who made these decisions, each once. */
function peopleIn(decisions: readonly Decision[]): string[] {
  return [...new Set(decisions.map(({ approver }) => approver))];
}

const SOURCE = "/approvals";
const LAPSED =
  "The approval lapsed: the write was approved, but did not begin in the time it was approved for. Ask the user whether it is still wanted.";
