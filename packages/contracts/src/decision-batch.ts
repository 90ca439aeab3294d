import { ApprovalView } from "./approval-view.ts";
import { DECISIONS } from "./documents/approval.ts";
import { declared } from "./parse.ts";
import { type Static, Type } from "./schema.ts";

const closed = { additionalProperties: false } as const;

/** The largest number of decisions in one request. */
export const MAX_BATCH = 50;

/** The body of `POST /v1/approvals/decisions`. Each approval has an explicit decision, with the token of its own card. */
export const BatchDecisionRequest = Type.Object(
  {
    decisions: Type.Array(
      Type.Object(
        {
          approval: Type.String({ maxLength: 200 }),
          decision: Type.Enum([...DECISIONS]),
          /** The single-use token that `GET /v1/approvals/{id}` returned to this approver. */
          token: Type.String({ minLength: 16, maxLength: 200 }),
          comment: Type.Optional(Type.String({ maxLength: 2000 })),
          ticket: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
          /** The `argumentsHash` of the card that the approver saw. */
          argumentsHash: Type.Optional(Type.String({ maxLength: 64 })),
          /** The `hash` of the plan on the card that the approver saw. Approving a write with a plan requires it. */
          planHash: Type.Optional(Type.String({ maxLength: 64 })),
        },
        closed,
      ),
      { minItems: 1, maxItems: MAX_BATCH },
    ),
  },
  closed,
);
export type BatchDecisionRequest = Static<typeof BatchDecisionRequest>;
export const batchDecisionRequest = declared("BatchDecisionRequest", BatchDecisionRequest);

/** The answer to one decision of a batch: the approval as the decision left it, or a problem as the decision alone would get it. */
export const BatchDecisionAnswer = Type.Object(
  {
    approval: Type.String(),
    status: Type.Integer({ description: "The HTTP status that this decision alone would get." }),
    decided: Type.Optional(ApprovalView),
    problem: Type.Optional(
      Type.Object(
        {
          type: Type.String(),
          title: Type.String(),
          status: Type.Integer(),
          code: Type.String(),
          detail: Type.String(),
          remedy: Type.Optional(Type.String()),
          errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }, closed))),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type BatchDecisionAnswer = Static<typeof BatchDecisionAnswer>;

/** The answers to a batch, in the order of its decisions. */
export const BatchDecisionAnswers = Type.Object({ answers: Type.Array(BatchDecisionAnswer) }, closed);
