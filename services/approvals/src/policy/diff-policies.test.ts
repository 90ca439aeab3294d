import type { ApprovalPolicyFile } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { diffPolicies } from "./diff-policies.ts";
import { policyOf } from "./policy.ts";

const diff = (before: Partial<ApprovalPolicyFile>, after: Partial<ApprovalPolicyFile>) =>
  diffPolicies(policyOf({ version: 1, ...before }), policyOf({ version: 1, ...after })).map(({ where, effect }) => [where, effect]);
const rule = { name: "big", tier: "high", reason: "because" } as const;

describe("the difference of two policies", () => {
  it("is empty if they say the same, also with rules in another order", () => {
    const other = { ...rule, name: "other" };
    expect(diff({ rules: [rule, other] }, { rules: [other, rule], hitlMode: "auto" })).toEqual([]);
  });

  it("says whether writes need more or less", () => {
    expect(diff({ rules: [rule] }, {})).toEqual([["rules.big", "looser"]]);
    expect(diff({}, { rules: [rule] })).toEqual([["rules.big", "stricter"]]);
    expect(diff({ rules: [rule] }, { rules: [{ ...rule, tier: "critical" }] })).toEqual([["rules.big.tier", "stricter"]]);
    expect(diff({ tiers: { high: { approvers: 3 } } }, { tiers: { high: { approvers: 2 } } })).toEqual([
      ["tiers.high.approvers", "looser"],
    ]);
    expect(diff({ tiers: { high: { expires: "4h" } } }, { tiers: { high: { expires: "1d", ticket: "^T" } } })).toEqual([
      ["tiers.high.expires", "looser"],
      ["tiers.high.ticket", "stricter"],
    ]);
    expect(diff({ writeTools: ["a", "b"] }, { writeTools: ["a"] })).toEqual([["writeTools", "looser"]]);
    expect(diff({}, { hitlMode: "required" })).toEqual([["hitlMode", "stricter"]]);
  });

  it("does not judge what it cannot judge", () => {
    expect(diff({ writeTools: ["a"] }, { writeTools: ["b"] })).toEqual([["writeTools", "other"]]);
    expect(diff({ rules: [{ ...rule, when: { a: 1 } }] }, { rules: [{ ...rule, when: { a: 2 } }] })).toEqual([["rules.big.when", "other"]]);
    expect(diff({}, { rules: [{ name: "slow", needs: { expires: "4h" } }] })).toEqual([["rules.slow", "other"]]);
  });
});
