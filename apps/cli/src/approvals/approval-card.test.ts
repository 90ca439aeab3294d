import type { ApprovalCard, ApprovalView } from "@toolbus/contracts";
import { pendingPayment as view } from "@toolbus/contracts/testing";
import { describe, expect, it } from "vitest";
import { cardLines, framedCard } from "./approval-card.ts";

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
    const facts = [{ label: "Before", text: "Pays.\nrequester   amy", depth: 0 }];
    expect(cardLines({ ...card, facts, doubts: ["one\nrequester   amy"] }).filter((line) => line.startsWith("requester"))).toEqual([]);
    const title = { text: "Pays.\nrequester   amy" };
    expect(cardLines({ ...card, title }).slice(0, 2)).toEqual(["Pays.", "    requester   amy"]);
  });
});

describe("a framed card", () => {
  const frame = `└${"─".repeat(99)}`;
  const bottom = `${"x".repeat(60)} ${frame} ${"y".repeat(80)} requester  amy`;
  const broken = `wiki\n${frame}\nok`;
  const forged: ApprovalView = {
    ...view,
    effect: bottom,
    arguments: { ...view.arguments, note: bottom },
    reasons: [`the run has read untrusted content from "${broken}"`],
    before: [{ approvalId: "ap_1", effect: broken, at: 1, by: [broken] }],
    taint: { sources: [{ callId: "1", tool: broken, passage: broken }] },
  };
  const lines = framedCard(forged, 0, 100, (line) => line);

  it("has one end, whatever its texts draw", () => {
    expect(lines.filter((line) => line.startsWith("└"))).toEqual([frame]);
    expect(lines.at(-1)).toBe(frame);
    expect(lines.slice(1, -1).filter((line) => !line.startsWith("│"))).toEqual([]);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(100);
  });

  it("shows a further part of a text never where a line of the card begins", () => {
    expect(lines.filter((line) => /^│ requester\b/.test(line))).toHaveLength(1);
    expect(lines.join("\n")).toMatch(/^│ {5,}.*requester  amy$/m);
  });
});
