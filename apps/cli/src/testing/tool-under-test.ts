import type { ToolView } from "@toolbus/contracts";

/** A registered read, as the gateway lists it. */
export const toolUnderTest: ToolView = {
  name: "look_up",
  version: "1",
  preferred: true,
  toolset: "orders",
  source: "orders",
  kind: "read",
  tier: "low",
  description: "Looks up.",
  parameters: { type: "object", properties: {} },
  hash: "sha256-a",
  available: true,
  availability: "ready",
  registeredAt: 0,
  lastSeenAt: 0,
};

/** A registered write that nobody has enabled, as approvals lists it. */
export const writeUnderTest = {
  tool: "issue_refund",
  toolset: "orders",
  version: "2",
  hash: "sha256-a",
  tier: "high",
  state: "pending",
  granted: false,
  weaker: null,
  receiptKeys: [],
  receiptKeysFrom: "registration",
  registeredAt: 0,
  lastSeenAt: 0,
} as const;
