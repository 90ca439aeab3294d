import type { Decision } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { statusAfter } from "./decision-status.ts";

const made = (approver: string, groups: string[]): Decision => ({
  approver,
  decision: "approve",
  at: 1,
  via: "http",
  tokenHash: approver,
  groups,
});
const approval = { need: 2, policy: { version: "v", rules: [], groups: { finance: 1, ops: 1 } } };

describe("an approval that names groups", () => {
  it("is not approved by enough people of one group, whoever let them decide", () => {
    expect(statusAfter({ ...approval, decisions: [made("amy", ["finance"]), made("ben", ["finance"])] })).toBe("pending");
    expect(statusAfter({ ...approval, decisions: [made("amy", ["finance"]), made("ben", ["ops"])] })).toBe("approved");
  });

  it("still ends at one denial", () => {
    expect(statusAfter({ ...approval, decisions: [made("amy", ["finance"]), { ...made("ben", ["ops"]), decision: "deny" }] })).toBe(
      "rejected",
    );
  });
});
