import type { ApprovalCard } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { emailText } from "./email-text.ts";

const ID = "ap_rn_05_01JD0000000000000000000001.1.0";
const card = (part: Partial<ApprovalCard> = {}): ApprovalCard => ({
  id: ID,
  title: { text: "Pay 5 EUR." },
  status: "pending",
  doubts: [],
  notices: [],
  facts: [{ label: "Tool", text: "pay@1, a high-tier write", depth: 0 }],
  arguments: [
    { label: "to", text: "", depth: 0 },
    { label: "name", text: "Ana", depth: 1 },
  ],
  plan: [],
  decisions: [],
  ...part,
});

describe("the text of a mail", () => {
  it("has a subject of one line, whatever the tool's effect is", () => {
    const { subject } = emailText(
      card({ title: { text: `Pay\r\nBcc: eve@example.com\u2028\0${"x".repeat(500)}` } }),
      "approval.held",
      null,
    );
    expect(subject).toMatch(/^\[Toolbus\] waits for a decision: Pay Bcc: eve@example\.com x+$/);
    expect(subject.length).toBeLessThanOrEqual(150);
  });

  it("keeps the indentation of arguments in both forms, and names the command if there is no page", () => {
    const { text, html } = emailText(card(), "approval.held", null);
    expect(text).toContain("\nArguments:\n  to: \n    name: Ana\n");
    expect(html).toContain("<div>&nbsp;&nbsp;&nbsp;&nbsp;name: Ana</div>");
    for (const form of [text, html]) expect(form).toContain(`toolbus approvals show ${ID}`);
  });

  it("shows at the top that a word may be mistaken for another, and says how the write ended", () => {
    const { text, subject } = emailText(card({ status: "rejected: no", doubts: ['"p\u0430y" in /effect'] }), "approval.ended", null);
    expect(text).toMatch(/^This no longer waits: rejected: no\.\n\nPay 5 EUR\.\n! LOOK CLOSELY: "p/);
    expect(subject).toBe("[Toolbus] rejected: no: Pay 5 EUR.");
  });

  it("does not grow without limit", () => {
    const lines = Array.from({ length: 5000 }, (_, n) => ({ label: `field ${n}`, text: "x".repeat(10_000), depth: 0 }));
    const { text } = emailText(card({ arguments: lines }), "approval.held", null);
    expect(text.length).toBeLessThan(1_000_000);
    expect(text).toContain("[4800 more lines are left out]");
  });
});
