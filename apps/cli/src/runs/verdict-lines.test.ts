import { findingText, assessedText, type VerdictFinding } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { painter } from "../terminal/output.ts";
import { reportLines } from "./report-lines.ts";
import { verdictLines } from "./verdict-lines.ts";

const finding: VerdictFinding = {
  severity: "high",
  kind: "security_fix",
  rule: "security-wording",
  text: "1 commit to product code says that it closes a way to do harm.",
  evidence: [
    { commit: "1a2b3c4d5e6f", subject: "Fix a bypass" },
    { file: "src/login.ts", lines: [10, 20] },
    { dependency: "qs", from: "6.0.0", to: null },
  ],
  evidenceOmitted: 0,
  advice: "Ask a security owner.",
};
const assessed = assessedText({
  base: { ref: "v1", commit: "aa" },
  head: { ref: "v2", commit: "bb" },
  package: "api",
  confidence: "medium",
  rules: ["security-wording", "code-lines"],
});
const texts = [assessed, findingText(finding), "low: tests (passed-tests): All passed.", "Not known: Metrics.", "Reviewer: look again"];
const plain = (_: unknown, text: string) => text;

describe("the verdict of a report", () => {
  it("is a small table with evidence and advice, then comments, unknowns and rules", () => {
    expect(verdictLines({ findings: texts }, plain, 100)).toEqual([
      "  from v1 (aa) to v2 (bb), package api, confidence medium",
      "          finding, evidence, what to do",
      "  high    security fix: 1 commit to product code says that it closes a way to do harm.",
      "          commit 1a2b3c4d5e6f Fix a bypass",
      "          src/login.ts:10-20",
      "          qs 6.0.0 to none",
      "          Do: Ask a security owner.",
      "  low     tests: All passed.",
      "  Reviewer: look again",
      "  Not known: Metrics.",
      "  Rules: security-wording, code-lines",
    ]);
  });

  it("fits into a narrow terminal and needs no colour", () => {
    const lines = verdictLines({ findings: texts }, painter(false), 40);
    expect(lines.filter((line) => line.length > 40)).toEqual([]);
    expect(lines.join("")).not.toContain("\u001b");
  });

  it("shows texts in another form whole", () => {
    expect(verdictLines({ findings: ["high: Tests fail.", "It is slow."] }, plain, 100).slice(1)).toEqual([
      "  high    Tests fail.",
      "          It is slow.",
    ]);
  });

  it("lets no text of a repository or a model reach the terminal unchanged", () => {
    const hostile = "\u001b[2J\u202eall is well\r\n  low     nothing";
    const report = {
      subject: hostile,
      severity: "high",
      cause: hostile,
      findings: [hostile, `high: a (b): x Where: file "${hostile}". Do: ${hostile}`, `Not known: ${hostile}`],
      evidence: [],
      filing: { status: "filed", reportId: hostile },
    } as const;
    for (const colour of [false, true]) {
      const shown = reportLines({ ...report, findings: [...report.findings], evidence: [] }, painter(colour)).join("\n");
      expect(shown.replaceAll(/\u001b\[\d+m/g, "")).not.toMatch(/[\u001b\u202e\r]/);
      expect(shown).not.toMatch(/^ {2}low {5}nothing/m);
    }
  });
});
