import { type Static, Type } from "./schema.ts";
import { APPROVAL_OUTCOMES } from "./messages.ts";
import { DOUBTS } from "./doubtful-words.ts";
import { DECISIONS } from "./documents/approval.ts";
import type { JsonObject } from "./json.ts";
import { TIERS } from "./tool-definition.ts";

const closed = { additionalProperties: false } as const;

/** What an approver is shown: everything from the pin and the origin, nothing in the agent's words. Times are the store's milliseconds. */
const approvalFields = {
  id: Type.String(),
  callId: Type.String(),
  /** Where it is read and decided, from the address of approvals. Each carries the call's id. Absent from versions before it. */
  links: Type.Optional(Type.Object({ self: Type.String(), decision: Type.String() }, closed)),
  correlationId: Type.String(),
  runId: Type.String(),
  conversationId: Type.String(),
  tool: Type.String(),
  toolVersion: Type.String(),
  toolHash: Type.String(),
  toolset: Type.String(),
  /** With control, bidirectional and zero-width characters as escapes, and without what looks like a credential. Null for a refused request, whose arguments are not kept. */
  arguments: Type.Union([Type.Unsafe<JsonObject>({ type: "object" }), Type.Null()]),
  /**
   * Words on the card that may be read as others (UTS #39), with where they stand as JSON Pointers into this document: mixed scripts, letters or digits that
   * look like others, characters that cannot be seen. The first 16. Absent from versions before it.
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

/** The same with what this reader may do: with a token, decide once; without, the reason why not. */
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
