import { describe, expect, it } from "vitest";
import { approvalEntry, type ListedApproval } from "./approval-entry.ts";

const MINUTE = 60_000;
const ID = "ap_rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E.1.0";
const waiting: ListedApproval = {
  id: ID,
  tool: "wire_transfer",
  tier: "critical",
  effect: `Wire 90000 for ${"a very long reason ".repeat(20)}END.`,
  requester: "rita",
  status: "pending",
  approversNeeded: 2,
  decisions: [{ approver: "amy", decision: "approve", at: 0, via: "http" }],
  requestedAt: 0,
  expiresAt: 15 * MINUTE,
  endedAt: null,
};

describe("an approval in a list", () => {
  it("has its age, tier, requester, tool, time left and who has approved, and the whole effect at any width", () => {
    for (const width of [60, 100, 200]) {
      const lines = approvalEntry(waiting, 3 * MINUTE, width);
      expect(lines[0]).toBe(
        `${ID}  pending, 12 min left, 1 of 2 approved`.slice(0, width > 80 ? undefined : ID.length + " pending, 12 min".length + 1),
      );
      expect(lines.join(" ")).toContain("critical tier, wire_transfer, for rita, 3 min old");
      expect(lines.join(" ").replaceAll(/\s+/g, " ")).toContain(waiting.effect.replaceAll(/\s+/g, " "));
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(width);
    }
  });

  it("keeps a word that is longer than a line away from the left edge, where entries begin", () => {
    const lines = approvalEntry({ ...waiting, effect: `Pay ${"─".repeat(500)}` }, 0, 100);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(lines.filter((line) => line.startsWith("─"))).toEqual([]);
  });

  it("masks personal data in the effect, as the card does", () => {
    const [, , effect] = approvalEntry({ ...waiting, effect: "Wire to anna@example.com." }, 0, 200);
    expect(effect).toBe("  Wire to [masked: e-mail address, …@example.com].");
  });

  it("does not count an approval of other arguments", () => {
    const decisions = [{ approver: "amy", decision: "approve" as const, at: 0, via: "http", isVoid: true }];
    expect(approvalEntry({ ...waiting, decisions }, 0, 200)[0]).toContain("0 of 2 approved");
  });

  it("says how it ended, when and by whom", () => {
    const first = (part: Partial<ListedApproval>): string | undefined => approvalEntry({ ...waiting, ...part }, 63 * MINUTE, 200)[0];
    expect(
      first({
        status: "approved",
        endedAt: 3 * MINUTE,
        decisions: [...waiting.decisions, { approver: "ben", decision: "approve", at: 1, via: "http" }],
      }),
    ).toBe(`${ID}  approved by amy and ben 1 h ago`);
    // The first decision was about a plan that changed afterwards.
    const again = [{ approver: "amy", decision: "approve" as const, at: 0, via: "http", isVoid: true }, ...waiting.decisions];
    expect(first({ status: "approved", endedAt: 3 * MINUTE, decisions: again })).toBe(`${ID}  approved by amy 1 h ago`);
    expect(first({ status: "expired", endedAt: 3 * MINUTE, decisions: [] })).toBe(`${ID}  expired 1 h ago`);
    expect(first({ status: "approved", endedAt: 0, expiresAt: 0, decisions: [] })).toBe(`${ID}  approved by policy 1 h ago`);
  });

  it("keeps the lines of an effect and indents each, and marks an effect with words that may be mistaken", () => {
    const doubts = [{ place: "/effect", why: "mixed_scripts", word: "x", spelled: "y" }] as const;
    expect(approvalEntry({ ...waiting, effect: "one\ntwo", doubts: [...doubts] }, 0, 100).slice(2)).toEqual(["  ! one", "  two"]);
  });
});
