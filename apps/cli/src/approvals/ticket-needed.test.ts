import type { ApprovalView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { ticketNeeded } from "./ticket-needed.ts";

const policy = { version: "sha256-a", rules: [], tickets: ["^CHG-[0-9]+$"] };
const named: ApprovalView["decisions"] = [{ approver: "amy", decision: "approve", at: 1, via: "http", ticket: "CHG-1" }];
const isEdited = false;

describe("the ticket of an approval", () => {
  it("is needed for a critical write, and where the policy demands one", () => {
    expect(ticketNeeded({ tier: "high", decisions: [] }, { isEdited })).toBeNull();
    expect(ticketNeeded({ tier: "critical", decisions: [] }, { isEdited })).toBe("a critical write needs a ticket");
    expect(ticketNeeded({ tier: "high", policy, decisions: [] }, { isEdited })).toBe("this write needs a ticket that matches ^CHG-[0-9]+$");
  });

  it("is not needed again if an approver named one, unless that approval is void or becomes void by an edit", () => {
    expect(ticketNeeded({ tier: "critical", decisions: named }, { isEdited })).toBeNull();
    expect(ticketNeeded({ tier: "critical", decisions: named }, { isEdited: true })).toBe("a critical write needs a ticket");
    expect(ticketNeeded({ tier: "critical", decisions: [{ ...named[0]!, isVoid: true }] }, { isEdited })).not.toBeNull();
    expect(ticketNeeded({ tier: "critical", decisions: [{ ...named[0]!, decision: "deny" }] }, { isEdited })).not.toBeNull();
  });
});
