import type { ApprovalView } from "../approval-view.ts";

/** A payment that one of its two approvers has approved, for tests of cards. */
export const pendingPayment: ApprovalView = {
  id: "ap_1",
  callId: "1",
  correlationId: "c",
  runId: "rn_1",
  conversationId: "cv_1",
  tool: "pay",
  toolVersion: "1",
  toolHash: "sha256-a",
  toolset: "pay",
  arguments: { to: "anna@example.com", amount: 100, items: [{ sku: "A/1", "x~/y": "b@example.com" }, "plain"], none: [] },
  argumentsHash: "sha256-b",
  effect: "Pays 100 to anna@example.com.",
  tier: "critical",
  reasons: ["more than 50"],
  idempotency: { mode: "none", inWords: "Nobody can tell." },
  requester: "rita",
  agent: "default",
  status: "pending",
  approversNeeded: 2,
  decisions: [{ approver: "amy", decision: "approve", at: 1, via: "http", ticket: "T-1" }],
  requestedAt: 0,
  expiresAt: 600_000,
  endedAt: null,
};
