import { describe, expect, it } from "vitest";
import { type ApprovalCard, cardLines } from "./approval-card.ts";

const card: ApprovalCard = {
  id: "ap_1",
  tool: "pay",
  toolVersion: "1",
  tier: "high",
  effect: "Pays 100 to pаypal.com.",
  arguments: { to: "pаypal.com" },
  doubts: [{ place: "/arguments/to", why: "mixed_scripts", word: "pаypal", spelled: "p\\u0430ypal" }],
  requester: "rita",
  idempotency: { mode: "none", inWords: "If this is interrupted, nobody can tell." },
  expiresAt: 0,
};

describe("a card at a terminal", () => {
  it("says right below the effect which word may be read as another, where it stands and how it is spelled", () => {
    expect(cardLines(card, 0).slice(0, 2)).toEqual([
      "Pays 100 to pаypal.com.",
      '! LOOK CLOSELY at "pаypal" in /arguments/to: it mixes letters of several scripts, p\\u0430ypal',
    ]);
  });

  it("says nothing if there is no such word, or if the approvals service does not report them", () => {
    const { doubts: _, ...silent } = card;
    expect(cardLines({ ...card, doubts: [] }, 0)).toEqual(cardLines(silent, 0));
    expect(cardLines(silent, 0).join("\n")).not.toContain("LOOK CLOSELY");
  });
});
