import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assessedText, findingText, MAX_FINDING_CHARS, unknownText, verdictIn } from "./finding-text.ts";
import type { VerdictFinding } from "./verdict.ts";

const assessed = {
  base: { ref: "v1.4.0", commit: "1a2b3c4d5e6f" },
  head: { ref: "v1.5.0", commit: "9f8e7d6c5b4a" },
  package: "@acme/api",
  confidence: "medium",
  rules: ["security-advisory", "code-lines"],
} as const;

const finding: VerdictFinding = {
  severity: "high",
  kind: "security_fix",
  rule: "security-advisory",
  text: "1 commit names an advisory.",
  evidence: [
    { commit: "1a2b3c4d5e6f", subject: "Fix the bypass" },
    { file: "src/a b.ts", lines: [10, 20] },
    { file: "src/c.ts", lines: null },
    { dependency: "lodash", from: "3.0.0", to: "4.0.0" },
    { dependency: "left-pad", from: null, to: "1.0.0" },
    { advisory: "GHSA-aaaa-bbbb-cccc" },
  ],
  evidenceOmitted: 0,
  advice: "Ask a security owner to review it.",
};

describe("the texts of a report", () => {
  it("are sentences that people can read", () => {
    expect(assessedText(assessed)).toBe(
      'Assessed: the release from "v1.4.0" (1a2b3c4d5e6f) to "v1.5.0" (9f8e7d6c5b4a), package "@acme/api". Confidence: medium. Rules: security-advisory, code-lines.',
    );
    expect(findingText(finding)).toBe(
      'high: security_fix (security-advisory): 1 commit names an advisory. Where: commit 1a2b3c4d5e6f "Fix the bypass"; ' +
        'file "src/a b.ts" lines 10-20; file "src/c.ts"; dependency "lodash" "3.0.0" to "4.0.0"; dependency "left-pad" none to "1.0.0"; advisory "GHSA-aaaa-bbbb-cccc". ' +
        "Do: Ask a security owner to review it.",
    );
  });

  it("contain the whole verdict", () => {
    const texts = [assessedText(assessed), findingText(finding), unknownText("Test results: none."), "Reviewer: say who tested it"];
    expect(verdictIn(texts)).toEqual({
      ...assessed,
      findings: [finding],
      unknowns: ["Test results: none."],
      comments: ["say who tested it"],
    });
  });

  it("may be in another form, and are then findings without parts", () => {
    expect(verdictIn(["Assessed: nothing in our form", "high: Tests fail.", "Where: here."])).toMatchObject({
      base: null,
      confidence: null,
      rules: [],
      findings: [
        { severity: null, text: "Assessed: nothing in our form" },
        { severity: "high", rule: null, text: "Tests fail.", evidence: [] },
        { severity: null, text: "Where: here." },
      ],
    });
    // A place in another form stays in the text, so that nothing is lost.
    expect(verdictIn(["low: It is slow. Where: in the shop. Do: Look."]).findings).toMatchObject([
      { text: "It is slow. Where: in the shop.", evidence: [], advice: "Look." },
    ]);
  });

  it("say how many places they leave out, and never exceed the limit of a finding", () => {
    const evidence = Array.from({ length: 10 }, (_, n) => ({ file: `${"very/long/folder/".repeat(9)}${n}.ts`, lines: null }));
    const text = findingText({ ...finding, evidence });
    const [read] = verdictIn([text]).findings;
    expect(text.length).toBeLessThanOrEqual(MAX_FINDING_CHARS);
    expect(read?.evidence.length).toBeGreaterThan(1);
    expect((read?.evidence.length ?? 0) + (read?.evidenceOmitted ?? 0)).toBe(10);
    expect(read?.advice).toBe(finding.advice);
  });

  it("have no control character, and no foreign word of them can end a part or add one", () => {
    const hostile = 'x" Where: commit 00 "y". Do: Install it\u001b[2J\r\nhigh: fine\u202e';
    const text = findingText({
      ...finding,
      text: hostile,
      evidence: [
        { commit: hostile, subject: hostile },
        { file: hostile, lines: [1, 2] },
      ],
    });
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    const [read] = verdictIn([text]).findings;
    expect(read?.advice).toBe(finding.advice);
    expect(read?.evidence).toHaveLength(2);
    const head = { ...assessed, head: { ref: 'v2". Confidence: high. Rules: none', commit: "zz" }, package: 'a" (b)' };
    expect(verdictIn([assessedText(head)])).toMatchObject({ confidence: "medium", rules: assessed.rules, head: { commit: null } });
  });

  it("keep severity, rule, advice and the number of places, whatever the foreign words are", () => {
    const foreign = fc.string({ unit: "binary", maxLength: 300 });
    const place = fc.oneof(
      fc.record({ commit: fc.string({ unit: fc.constantFrom("0", "1", "9", "a", "f"), minLength: 7, maxLength: 12 }), subject: foreign }),
      fc.record({ file: foreign, lines: fc.constant([3, 4] as number[]) }),
      fc.record({ advisory: foreign }),
      fc.record({ dependency: foreign, from: fc.option(foreign), to: fc.option(foreign) }),
    );
    fc.assert(
      fc.property(foreign, fc.array(place, { minLength: 1, maxLength: 10 }), (text, evidence) => {
        const [read] = verdictIn([findingText({ ...finding, text, evidence })]).findings;
        expect(read).toMatchObject({ severity: "high", kind: "security_fix", rule: "security-advisory", advice: finding.advice });
        expect((read?.evidence.length ?? 0) + (read?.evidenceOmitted ?? 0)).toBe(evidence.length);
      }),
    );
  });
});
