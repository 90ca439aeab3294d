import { describe, expect, it } from "vitest";
import { madeUpFacts, type Told } from "../../testing/made-up-facts.ts";
import { assessChange } from "./assess-change.ts";

const code = (added: number, more: object = {}) => ({ path: "src/a.py", added, ...more });
const assess = (told: Told) => assessChange(madeUpFacts(told));

describe("an assessment of a change", () => {
  it("is low with a reason, and without findings, if nothing changes", () => {
    expect(assess({})).toMatchObject({
      severity: "low",
      because: "No line of product code changes.",
      findings: [],
      fired: [],
      confidence: "medium",
    });
  });

  it("is low for tests, docs, lockfiles and generated files, however many lines they have", () => {
    const files = (["test", "docs", "lockfile", "generated", "vendored", "asset", "ci"] as const).map((kind) => ({
      kind,
      added: 100_000,
      path: kind,
    }));
    expect(assess({ files })).toMatchObject({ severity: "low", findings: [] });
  });

  it("is low for a small fix, and medium from forty lines of product code", () => {
    expect(assess({ files: [code(39)] })).toMatchObject({ severity: "low", fired: [] });
    expect(assess({ files: [code(40)] })).toMatchObject({
      severity: "medium",
      fired: ["code-lines"],
      findings: [],
      because: "40 lines of product code change in 1 file.",
    });
  });

  it("does not count comments, imports, versions, scripts, built files and benches", () => {
    const hunks = (["comment", "import", "version"] as const).map((kind) => ({ line: 1, added: 100, deleted: 0, kind }));
    const files = [
      code(310, { hunks }),
      code(500, { path: "release.sh" }),
      code(500, { path: "dist/a.js" }),
      code(500, { path: "a-bench/src/a.rs" }),
      code(500, { path: "tap/a.ts" }),
      code(500, { path: "latest/a.sh" }),
    ];
    expect(assess({ files })).toMatchObject({
      severity: "low",
      because: "Only 10 lines of product code change, and no rule found a reason for more.",
    });
  });

  it("is medium for a minor step with product code, and low for one without", () => {
    expect(assess({ step: "minor", files: [code(1)] })).toMatchObject({ severity: "medium", fired: ["feature-step"] });
    expect(assess({ step: "minor", files: [{ kind: "docs", added: 9 }] })).toMatchObject({ severity: "low", fired: [] });
  });

  it("ranks the most serious finding first, and gives its sentence as the reason", () => {
    const told: Told = {
      files: [code(5)],
      commits: [{ subject: "Deprecate the old name" }, { subject: "Fix authentication bypass" }],
      dependencies: [{}],
    };
    const { findings, because, fired, severity } = assess(told);
    expect(findings.map(({ rule, severity: own }) => `${own} ${rule}`)).toEqual([
      "high security-wording",
      "medium deprecation",
      "low dependency-steps",
    ]);
    expect(because).toBe(findings[0]?.text);
    expect(severity).toBe("high");
    expect(fired).toEqual(["security-wording", "deprecation", "dependency-steps"]);
  });

  it("is the same, byte for byte, for the same facts, and does not change them", () => {
    const told: Told = {
      step: "minor",
      files: [code(2000), code(2000, { path: "src/b.py" })],
      commits: [{ subject: "Add a thing", touches: ["code", "docs"] }],
      removed: [{ file: "src/a.py", name: "gone" }],
    };
    const facts = madeUpFacts(told);
    const before = JSON.stringify(facts);
    expect(JSON.stringify(assessChange(facts))).toBe(JSON.stringify(assessChange(madeUpFacts(told))));
    expect(JSON.stringify(facts)).toBe(before);
  });
});

describe("the places of a finding", () => {
  const subjects = (count: number, subject: string) => Array.from({ length: count }, (_, index) => ({ subject: `${subject} ${index}` }));

  it("are at most 24 if each one needs an answer, and at most ten otherwise, and the others are counted", () => {
    const commits = [...subjects(30, "Fix XSS"), ...subjects(12, "Deprecate the name")];
    const files = [code(5), code(5, { path: "src/b.py" })];
    const counts = assess({ files, commits }).findings.map(({ rule, evidence, evidenceOmitted }) => [
      rule,
      evidence.length,
      evidenceOmitted,
    ]);
    expect(counts).toEqual([
      ["security-wording", 24, 6],
      ["deprecation", 10, 2],
    ]);
  });

  it("that are omitted are known to the other rules", () => {
    const commits = subjects(30, "security: require a login for page");
    expect(assess({ files: [code(5)], commits }).fired).toEqual(["security-wording", "narrowed-access"]);
  });
});

describe("unknown evidence", () => {
  it("lowers the confidence and is named, but leaves the severity", () => {
    const known = assess({ files: [code(5)] });
    const unknown = assess({ files: [code(5)], omittedCommits: 90, baseIsAncestor: false, sameTagSeries: false, step: "unknown" });
    expect(known).toMatchObject({ severity: "low", confidence: "high", unknowns: [] });
    expect(unknown).toMatchObject({ severity: "low", confidence: "low" });
    expect(unknown.unknowns).toHaveLength(4);
    expect(unknown.unknowns[0]).toBe("90 of 90 commits are not in the facts.");
  });

  it("names a language without exported names, and that alone leaves the confidence high", () => {
    const { confidence, unknowns } = assess({ files: [code(5, { path: "src/a.c" })] });
    expect({ confidence, count: unknowns.length }).toEqual({ confidence: "high", count: 1 });
  });

  it("makes the confidence medium if the base is on another branch", () => {
    expect(assess({ files: [code(5)], baseIsAncestor: false })).toMatchObject({ confidence: "medium" });
  });
});

describe("hostile facts", () => {
  it("leave no control or bidirectional character and no line break in a result", () => {
    const bad = "Fix XSS\u0000\u001b[31m\u202e\nhigh: \u2028ignore this";
    const { findings } = assess({
      files: [code(5, { path: bad })],
      commits: [{ subject: bad, hash: bad }],
      removed: ["a", "b"].map((name) => ({ file: `src/${bad}.py`, name: `${name}${bad.replaceAll(".", "")}` })),
      dependencies: [{ name: bad, from: bad, to: bad, step: "major" }],
      requirements: [{ manifest: bad, name: bad, from: "1", to: "2" }],
    });
    expect(findings.length).toBeGreaterThanOrEqual(4);
    const texts = JSON.stringify(findings, (_, value) => (typeof value === "string" ? value.replaceAll("\\", "") : value));
    expect(texts).not.toMatch(/\\u|\\n|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  });

  it("with enormous lists end soon, with few places in a finding", () => {
    const many = <T>(item: (index: number) => T) => Array.from({ length: 20_000 }, (_, index) => item(index));
    const started = performance.now();
    const { findings } = assess({
      files: many((index) => code(3, { path: `src/f${index}.py` })),
      commits: many((index) => ({ subject: `Fix XSS ${"a".repeat(100_000 / 500)}${index}`, advisories: ["CVE-2026-1234"] })),
      removed: many((index) => ({ file: `src/f${index}.py`, name: `n${index}` })),
      dependencies: many((index) => ({ name: `d${index}`, step: "major" as const })),
    });
    expect(findings.length).toBeGreaterThan(2);
    expect(findings.every(({ evidence, text }) => evidence.length <= 24 && text.length <= 400)).toBe(true);
    expect(performance.now() - started).toBeLessThan(60_000);
  });

  it("with subjects that are slow to match end soon", () => {
    const started = performance.now();
    for (const part of ["fix ", "remove ", "-", "a ", "[", "add the ", "limit "])
      assess({ files: [code(5)], commits: [{ subject: part.repeat(20_000), touches: ["code", "docs"] }] });
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it("without any dates, versions and kinds of files are assessed too", () => {
    const facts = madeUpFacts({ files: [code(5)] });
    const empty = {
      ...facts,
      base: { ...facts.base, date: "" },
      head: { ...facts.head, date: "", ref: "" },
      version: { from: null, to: null, step: "unknown" as const, mayBreak: false },
      files: { ...facts.files, byKind: [] },
    };
    expect(assessChange(empty)).toMatchObject({ severity: "low", findings: [] });
  });
});
