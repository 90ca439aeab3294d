import { ApprovalPage, ApprovalToDecide, ApprovalView, declared, ID_PATTERNS, type JsonObject } from "@toolbus/contracts";
import type { RouteDocs } from "@toolbus/runtime";

// The parts of the routes' descriptions: the views under their names, and consistent examples.

const RUN = "rn_05_01JD0000000000000000000001";
const CALL = `${RUN}.1.0`;
const AT = 1_763_718_400_000;

export const views = {
  approval: declared("Approval", ApprovalView),
  toDecide: declared("ApprovalToDecide", ApprovalToDecide),
  page: declared("ApprovalPage", ApprovalPage),
} as const;

const TOKEN = "q0Jb3kq1Zk7m8v2N4c6X8z0B2d4F6h8J0l2N4p6R8t0";

const approval: JsonObject = {
  id: `ap_${CALL}`,
  callId: CALL,
  links: { self: `/v1/approvals/ap_${CALL}`, decision: `/v1/approvals/ap_${CALL}/decision` },
  correlationId: "7f9c24e8-3b12-4a56-9d0e-1f2a3b4c5d6e",
  runId: RUN,
  conversationId: "cv_05_01JD0000000000000000000001",
  tool: "issue_refund",
  toolVersion: "1",
  toolHash: "sha256-9b74c9897bac770ffc029102a200c5de",
  toolset: "orders",
  arguments: { amount: 149.99, order: "ORD-8821" },
  doubts: [],
  argumentsHash: "sha256-2c26b46b68ffc68ff99b453c1d304134",
  effect: "Refund $149.99 for order ORD-8821.",
  tier: "high",
  reasons: ["more than 50"],
  idempotency: { mode: "key", inWords: "If this is interrupted, it is sent again with the same key, and the target does it once." },
  requester: "rita",
  agent: "default",
  status: "pending",
  approversNeeded: 1,
  decisions: [],
  requestedAt: AT,
  expiresAt: AT + 900_000,
  endedAt: null,
};

export const examples = { token: TOKEN, approval, toDecide: { ...approval, mayDecide: true, decisionToken: TOKEN } } as const;

export const approvalId: NonNullable<RouteDocs["id"]> = { says: "The approval.", pattern: ID_PATTERNS.approval, example: `ap_${CALL}` };

export const jwksSchema: JsonObject = {
  type: "object",
  required: ["keys"],
  properties: { keys: { type: "array", items: { type: "object" } } },
};
