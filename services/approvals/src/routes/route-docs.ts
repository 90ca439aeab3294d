import {
  APPROVAL_PREFIX,
  ApprovalPage,
  ApprovalToDecide,
  ApprovalView,
  BatchDecisionAnswers,
  declared,
  ID_PATTERNS,
  type JsonObject,
} from "@toolbus/contracts";
import type { RouteDocs } from "@toolbus/runtime";
import answers from "./recorded-answers.json" with { type: "json" };

// The routes' descriptions share these parts: the views under their names, and consistent examples.

const RUN = "rn_05_01JD0000000000000000000001";
const CALL = `${RUN}.1.0`;

export const views = {
  approval: declared("Approval", ApprovalView),
  toDecide: declared("ApprovalToDecide", ApprovalToDecide),
  page: declared("ApprovalPage", ApprovalPage),
  batch: declared("BatchDecisionAnswers", BatchDecisionAnswers),
} as const;

export const exampleToken = "q0Jb3kq1Zk7m8v2N4c6X8z0B2d4F6h8J0l2N4p6R8t0";

/** The answers of a whole system (docs/testing.md#examples-of-the-api). */
export const recorded: Readonly<Record<keyof typeof answers, JsonObject>> = answers;

export const approvalId: NonNullable<RouteDocs["id"]> = { says: "The approval.", pattern: ID_PATTERNS.approval, example: `ap_${CALL}` };

/** The id where its beginning is enough. */
export const approvalPrefix: NonNullable<RouteDocs["id"]> = {
  says: "The approval, or the beginning of its id.",
  pattern: APPROVAL_PREFIX.source,
  example: `ap_${CALL}`,
};

export const jwksSchema: JsonObject = {
  type: "object",
  required: ["keys"],
  properties: { keys: { type: "array", items: { type: "object" } } },
};
