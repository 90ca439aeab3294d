import type { ApprovalCard } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { cardLines } from "./approval-card.ts";

const card: ApprovalCard = {
  id: "ap_1",
  title: { text: "Pays 100 to pаypal.com." },
  status: "pending",
  doubts: ['"pаypal" in /arguments/to: it mixes letters of several scripts, p\\u0430ypal'],
  notices: [],
  facts: [{ label: "Requester", text: "rita", depth: 0 }],
  arguments: [
    { label: "to", text: "pаypal.com", depth: 0 },
    { label: "items", text: "", depth: 0 },
    { label: "-", text: "one\nrequester   amy", depth: 1 },
    {
      label: "mail",
      text: "[masked: e-mail address, …@example.com]",
      depth: 0,
      masked: { pointer: "/arguments/mail", what: ["e-mail address"] },
    },
  ],
  plan: [],
  decisions: [],
};

describe("a card at a terminal", () => {
  it("says right below the effect which word may be read as another, where it stands and how it is spelled", () => {
    expect(cardLines(card).slice(0, 2)).toEqual([
      "Pays 100 to pаypal.com.",
      '! LOOK CLOSELY at "pаypal" in /arguments/to: it mixes letters of several scripts, p\\u0430ypal',
    ]);
  });

  it("says nothing if there is no such word", () => {
    expect(cardLines({ ...card, doubts: [] }).join("\n")).not.toContain("LOOK CLOSELY");
  });

  it("indents the parts of an argument and every further line of a text, so that no argument looks like a line of the card", () => {
    expect(cardLines(card).slice(-5)).toEqual([
      "to: pаypal.com",
      "items:",
      "  - one",
      "      requester   amy",
      "mail: [masked: e-mail address, …@example.com] (masked at /arguments/mail)",
    ]);
    const title = { text: "Pays.\nrequester   amy" };
    expect(cardLines({ ...card, title }).slice(0, 2)).toEqual(["Pays.", "    requester   amy"]);
  });
});
