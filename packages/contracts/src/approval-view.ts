import { type Static, Type } from "./schema.ts";
import { APPROVAL_OUTCOMES } from "./messages.ts";
import { DOUBTS } from "./doubtful-words.ts";
import { DECISIONS } from "./documents/approval.ts";
import type { JsonObject } from "./json.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** What an approver sees: everything comes from the pin and the origin, nothing is in the agent's words. Times are the store's milliseconds. */
const approvalFields = {
  id: Type.String(),
  callId: Type.String(),
  /** Where to read and decide it, relative to the address of approvals. Each contains the call's id. Earlier versions do not have it. */
  links: Type.Optional(Type.Object({ self: Type.String(), decision: Type.String() }, closed)),
  correlationId: Type.String(),
  runId: Type.String(),
  conversationId: Type.String(),
  tool: Type.String(),
  toolVersion: Type.String(),
  toolHash: Type.String(),
  toolset: Type.String(),
  /**
   * Control, bidirectional and zero-width characters are escaped, and text that looks like a credential is removed. Null for a refused request, whose
   * arguments are not kept.
   */
  arguments: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
  /**
   * Words on the card that may be mistaken for others (UTS #39), with their places as JSON Pointers into this document: mixed scripts, letters or digits
   * that look like others, invisible characters. At most the first 16. Earlier versions do not have it.
   */
  doubts: Type.Optional(
    Type.Array(Type.Object({ place: Type.String(), why: Type.Enum([...DOUBTS]), word: Type.String(), spelled: Type.String() }, closed)),
  ),
  argumentsHash: Type.String(),
  effect: Type.String(),
  tier: Type.Enum([...TIERS]),
  reasons: Type.Array(Type.String()),
  idempotency: Type.Object({ mode: Type.String(), inWords: Type.String() }, closed),
  requester: Type.String(),
  agent: Type.String(),
  status: Type.Enum(["pending", ...APPROVAL_OUTCOMES]),
  approversNeeded: Type.Integer(),
  decisions: Type.Array(
    Type.Object(
      {
        approver: Type.String(),
        decision: Type.Enum([...DECISIONS]),
        at: Type.Integer(),
        via: Type.String(),
        comment: Type.Optional(Type.String()),
        ticket: Type.Optional(Type.String()),
      },
      closed,
    ),
  ),
  requestedAt: Type.Integer(),
  expiresAt: Type.Integer(),
  endedAt: Type.Union([Type.Integer(), Type.Null()]),
  reason: Type.Optional(Type.String()),
};

export const ApprovalView = Type.Object(approvalFields, closed);
export type ApprovalView = Static<typeof ApprovalView>;

/** The same, with what this reader may do: decide once with the token, or else the reason why not. */
export const ApprovalToDecide = Type.Object(
  {
    ...approvalFields,
    mayDecide: Type.Boolean(),
    decisionToken: Type.Optional(Type.String()),
    mayNotBecause: Type.Optional(Type.String()),
  },
  closed,
);
export type ApprovalToDecide = Static<typeof ApprovalToDecide>;

export const ApprovalPage = Type.Object({ approvals: Type.Array(ApprovalView), cursor: Type.Optional(Type.String()) }, closed);
export type ApprovalPage = Static<typeof ApprovalPage>;
