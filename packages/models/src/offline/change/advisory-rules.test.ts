import type { ReleaseFacts } from "@toolbus/release-facts";
import { describe, expect, it } from "vitest";
import { madeUpFacts, type Told } from "../../testing/made-up-facts.ts";
import { assessChange } from "./assess-change.ts";

type Advisories = NonNullable<ReleaseFacts["advisories"]>;
type Given = {
  readonly settled?: readonly string[];
  readonly fixed?: Advisories["fixed"]["list"];
  readonly open?: Advisories["open"]["list"];
  readonly ofPackage?: number;
};

function assess({ fixed = [], open = [], ofPackage = 1, settled }: Given, told: Told = {}) {
  const facts = madeUpFacts({ files: [{ added: 5 }], ...told });
  const known = { ofPackage, fixed: { omitted: 0, list: fixed }, open: { omitted: 0, list: open } };
  return assessChange({ ...facts, advisories: settled === undefined ? known : { ...known, settled: [...settled] } });
}

const fix = { hash: "f1".repeat(6), subject: "Read the header once" };

describe("a published advisory", () => {
  it("makes the commit that it names a security fix, whatever the message says", () => {
    const { severity, findings } = assess({ fixed: [{ id: "A-1", severity: "moderate", commits: [fix.hash] }] }, { commits: [fix] });
    expect(severity).toBe("high");
    expect(findings).toMatchObject([
      {
        rule: "security-known",
        kind: "security_fix",
        text: "The release fixes 1 published vulnerability (A-1), of severity moderate.",
        evidence: [{ commit: fix.hash, subject: fix.subject }],
      },
    ]);
  });

  it("is not fixed by the commit that makes the release, although the advisory names it", () => {
    const release = { hash: "f2".repeat(6), subject: "1.0.1 release" };
    const { findings } = assess({ fixed: [{ id: "A-1", commits: [release.hash] }] }, { commits: [release, fix, { subject: "Sort" }] });
    const [found] = findings.filter(({ kind }) => kind === "security_fix");
    expect(JSON.stringify(found?.evidence)).not.toContain(release.subject);
    expect(found?.evidence).toContainEqual({ advisory: "A-1" });
  });

  it("is a place of its own if no commit is known, and is reported once if the message of a fix names it", () => {
    const fixed = [{ id: "A-1", aliases: ["CVE-2026-1111"] }, { id: "A-2" }];
    const commit = { subject: "Fix the size (CVE-2026-1111)", advisories: ["CVE-2026-1111"] };
    const { findings } = assess({ fixed }, { commits: [commit, { subject: "Keep the order" }] });
    expect(findings.map(({ rule, evidence }) => [rule, evidence.map((place) => Object.keys(place)[0])])).toEqual([
      ["security-known", ["advisory"]],
      ["security-advisory", ["commit", "file"]],
    ]);
    expect(findings[0]?.evidence).toEqual([{ advisory: "A-2" }]);
  });

  it("is fixed by the only commit to product code, and by none of several", () => {
    const places = (...subjects: readonly string[]) =>
      assess({ fixed: [{ id: "A-1" }] }, { commits: subjects.map((subject) => ({ subject })) }).findings.flatMap(
        ({ evidence }) => evidence,
      );
    expect(places("Read the header once")).toEqual([{ commit: "c0".padEnd(12, "0"), subject: "Read the header once" }]);
    expect(places("Read the header once", "Keep the order")).toEqual([{ advisory: "A-1" }]);
  });

  it("is fixed by the commit that is the whole release, although its subject only names the release", () => {
    const release = { subject: "release: 3.4.5", touches: ["code" as const, "docs" as const] };
    const places = (...commits: (typeof release)[]) =>
      assess({ fixed: [{ id: "A-1" }] }, { commits }).findings.flatMap(({ evidence }) => evidence);
    expect(places(release)).toMatchObject([{ subject: "release: 3.4.5" }]);
    expect(places(release, { ...release, subject: "chore: bump version to 3.4.5" })).toEqual([{ advisory: "A-1" }]);
    expect(places({ ...release, touches: ["docs" as never, "docs"] })).toEqual([{ advisory: "A-1" }]);
  });

  it("without a commit is probably fixed by the commits with the words of a fix, which are no second finding", () => {
    const commits = [
      { subject: "Prevent a bypass of the access check" },
      { subject: "Keep the order", touches: ["code" as const, "test" as const] },
    ];
    expect(assess({ fixed: [{ id: "A-1" }] }, { commits }).findings).toMatchObject([
      {
        rule: "security-known",
        text: "The release fixes 1 published vulnerability (A-1). 1 advisory without a commit may be fixed by 1 commit.",
        evidence: [{ commit: "c0".padEnd(12, "0") }, { advisory: "A-1" }],
      },
    ]);
  });

  it("without a commit is probably fixed by the merge of a private fork, which is no second finding", () => {
    const commits = [{ subject: "Merge commit from fork" }, { subject: "Keep the order" }];
    const { findings } = assess({ fixed: [{ id: "A-1" }] }, { commits });
    expect(findings.map(({ rule }) => rule)).toEqual(["security-known"]);
    expect(findings[0]?.evidence[0]).toMatchObject({ subject: "Merge commit from fork" });
  });

  it("without a commit is probably fixed by a commit whose body names an attack, or else by one of a few repairs with a test", () => {
    const tested = { touches: ["code" as const, "test" as const] };
    const attack = { subject: "Keep the order", security: ["injection" as const] };
    const ordinary = { subject: "Keep the access", security: ["access_control" as const] };
    const repair = { subject: "Read the header once", ...tested };
    const likely = (count: number, commits: NonNullable<Told["commits"]>, omittedCommits = 0) =>
      assess({ fixed: Array.from({ length: count }, (_, at) => ({ id: `A-${at}` })) }, { commits, omittedCommits }).findings.flatMap(
        ({ rule, evidence }) => (rule === "security-known" ? evidence.flatMap((place) => ("subject" in place ? [place.subject] : [])) : []),
      );
    expect(likely(1, [attack, ordinary, repair])).toEqual([attack.subject]);
    expect(likely(2, [attack, ordinary, repair])).toEqual([attack.subject, repair.subject]);
    expect(likely(1, [ordinary, repair, { subject: "Add a page", ...tested }, { subject: "feat: one page", ...tested }])).toEqual([
      repair.subject,
    ]);
    expect(likely(1, [ordinary, repair], 1)).toEqual([]);
    for (const commit of [repair, attack]) {
      const several = (length: number) => Array.from({ length }, () => commit);
      expect(likely(1, several(4))).toHaveLength(4);
      expect(likely(1, several(5))).toEqual([]);
    }
  });

  it("counts as one fix, although the words of its commit say the same", () => {
    const commit = { hash: fix.hash, subject: "Prevent a bypass of the access check" };
    const { findings } = assess({ fixed: [{ id: "A-1", commits: [fix.hash] }] }, { commits: [commit] });
    expect(findings.map(({ rule }) => rule)).toEqual(["security-known"]);
  });

  it("that stays open is a risky area, and a high one if the release brings it", () => {
    expect(assess({ open: [{ id: "A-1" }] })).toMatchObject({
      severity: "medium",
      findings: [{ rule: "open-advisory", kind: "risky_area", evidence: [{ advisory: "A-1" }] }],
    });
    expect(assess({ open: [{ id: "A-1", fresh: true }, { id: "A-2" }] })).toMatchObject({
      severity: "high",
      findings: [{ text: "The release has 2 published vulnerabilities. It brings A-1, which the earlier version does not have." }],
    });
  });

  it("about another package changes nothing, and the assessment says so", () => {
    const { severity, findings, unknowns, confidence } = assess({ ofPackage: 0 });
    expect([severity, findings, confidence]).toEqual(["low", [], "high"]);
    expect(unknowns).toEqual(["None of the given advisories is about this package, so they show nothing."]);
  });

  it("that the earlier release does not have makes no later mention of it a fix", () => {
    const commits = [{ subject: "Fix the links", advisories: ["CVE-2026-1111"] }];
    const changelog = [{ file: "CHANGES", line: 1, says: ["security" as const], advisories: ["CVE-2026-1111"] }];
    expect(assess({}, { commits, changelog }).findings.map(({ kind }) => kind)).toContain("security_fix");
    expect(assess({ settled: ["CVE-2026-1111"] }, { commits, changelog }).findings).toEqual([]);
  });

  it("is reported once, although the changelog names it too", () => {
    const fixed = [{ id: "A-1", aliases: ["CVE-2026-1111"], commits: [fix.hash] }];
    const changelog = [
      { file: "CHANGES", line: 1, says: ["security" as const], advisories: ["CVE-2026-1111"], commits: ["c1".padEnd(12, "0")] },
    ];
    const commits = [fix, { subject: "Keep the order" }];
    expect(assess({ fixed }, { commits, changelog }).findings.map(({ rule }) => rule)).toEqual(["security-known"]);
  });
});
