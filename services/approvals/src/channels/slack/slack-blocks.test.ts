import type { ApprovalCard } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { textsIn } from "../../testing/slacked-under-test.ts";
import { cardMessage, escapedMrkdwn, reminderMessage } from "./slack-blocks.ts";
import { decisionDialog } from "./slack-dialog.ts";

const ID = "ap_rn_05_01JD0000000000000000000001.1.0";
const card = (part: Partial<ApprovalCard> = {}): ApprovalCard => ({
  id: ID,
  title: { text: "Pay 5 EUR." },
  status: "pending",
  doubts: [],
  notices: [],
  facts: [{ label: "Expires", text: "in 15 min", depth: 0 }],
  arguments: [],
  plan: [],
  decisions: [],
  ...part,
});

describe("a message of Slack", () => {
  it("shows every text of a card as it is, so that an argument cannot mention people, link or format", () => {
    const hostile = "<!channel> <https://evil.example|bank> *bold* :smile: & <@U1>";
    const { text, blocks } = cardMessage(card({ title: { text: hostile }, arguments: [{ label: hostile, text: hostile, depth: 0 }] }), {
      asks: true,
      page: null,
    });
    expect(text).not.toMatch(/[<>]/);
    expect(text).toContain("&lt;!channel&gt;");
    expect(JSON.stringify(blocks)).not.toContain("mrkdwn");
    expect(JSON.stringify(blocks).match(/"plain_text"/g)).toHaveLength(textsIn(blocks).length);
    expect(JSON.stringify(blocks)).not.toContain('"emoji":true');
    expect(escapedMrkdwn("&lt;")).toBe("&amp;lt;");
    expect(reminderMessage(card({ facts: [{ label: "Expires", text: hostile, depth: 0 }] })).text).not.toContain("<!channel>");
  });

  it.each([
    ["many arguments", { arguments: Array.from({ length: 5000 }, (_, n) => ({ label: `field ${n}`, text: "x".repeat(80), depth: 1 })) }],
    ["a very long argument", { arguments: [{ label: "text", text: "\u{1f600}".repeat(100_000), depth: 0 }] }],
    ["a very long title", { title: { text: "\u{1f600}".repeat(5000) } }],
    ["a very long reason", { status: `rejected: ${"x".repeat(5000)}` }],
    ["many doubts", { doubts: Array.from({ length: 16 }, () => "x".repeat(1000)) }],
    ["an empty title", { title: { text: " " } }],
  ] satisfies [string, Partial<ApprovalCard>][])("keeps the limits of Slack with %s", (_, part) => {
    const { blocks, text } = cardMessage(card(part), { asks: true, page: "https://approvals.example.com/approvals/1" });
    const dialog = decisionDialog(card(part), { approval: ID, decision: "approve" }, "required");
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect((dialog["blocks"] as unknown[]).length).toBeLessThanOrEqual(50);
    for (const one of [...textsIn(blocks), ...textsIn(dialog)]) {
      expect(one.length).toBeLessThanOrEqual(3000);
      expect(one.trim()).not.toBe("");
      expect(one.isWellFormed()).toBe(true);
    }
    expect(textsIn(blocks[0])[0]?.length).toBeLessThanOrEqual(150);
    expect(text.length).toBeLessThanOrEqual(3000);
    expect(JSON.stringify(dialog["private_metadata"]).length).toBeLessThanOrEqual(3000);
  });

  it("says that something is left out", () => {
    const lines = Array.from({ length: 5000 }, (_, n) => ({ label: `field ${n}`, text: "x".repeat(80), depth: 0 }));
    expect(textsIn(cardMessage(card({ arguments: lines }), { asks: false, page: null }).blocks).join("\n")).toContain(
      "The rest is left out here.",
    );
  });
});
