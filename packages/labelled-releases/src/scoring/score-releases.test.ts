import { describe, expect, it } from "vitest";
import { findingKinds, type Label, type Severity } from "../label.ts";
import { agree, contradict, placesOf } from "./places.ts";
import { missesOf } from "./misses.ts";
import { commonestClass, scoreReleases } from "./score-releases.ts";
import { shareOf, wilsonInterval } from "./share.ts";
import type { FindingKind, ProjectLabel, Verdict, VerdictFinding } from "./verdict.ts";

const NOWHERE = { commits: [], files: [], dependencies: [] };

function label(
  release: string,
  severity: readonly Severity[],
  findings: readonly (readonly [FindingKind, string])[],
  absent: readonly FindingKind[] = [],
): ProjectLabel {
  const source = "file:a";
  return {
    project: "one",
    label: {
      release,
      base: "0",
      severity: [...severity],
      because: "It is so.",
      source,
      findings: findings.map(([kind, where]): Label["findings"][number] => ({ kind, where, says: "It is so.", source })),
      absent: absent.map((kind) => ({ kind, because: "It is not so." })),
    },
  };
}

// Six labelled findings in four releases. The release 2 counts as low and the release 4 as medium, because these are the first classes.
const labels = [
  label("1", ["low"], [["hotfix", "commit aaaaaaa1"]], ["revert"]),
  label("2", ["low", "medium"], [["new_feature", "src/one.ts"]]),
  label(
    "3",
    ["high"],
    [
      ["security_fix", "commit bbbbbbb2"],
      ["removed_api", "src/two.ts"],
    ],
  ),
  label(
    "4",
    ["medium", "high"],
    [
      ["breaking_change", "package.json"],
      ["dependency_major", "left 2.0.0, right 3.0.0"],
    ],
    ["migration", "large_change"],
  ),
];

const verdicts = (severity: Severity, findings: readonly VerdictFinding[]): readonly Verdict[] =>
  labels.map((each) => ({ project: "one", release: each.label.release, severity, findings }));

describe("the score of verdicts", () => {
  it("that are right in everything is full", () => {
    const right = labels.map(({ project, label: { release, severity, findings } }): Verdict => ({
      project,
      release,
      severity: severity.at(-1) ?? "low",
      findings: findings.map(({ kind }) => ({ kind, ...NOWHERE })),
    }));
    expect(scoreReleases(right, labels)).toMatchObject({
      releases: 4,
      inside: { right: 4, of: 4, share: 1 },
      macroRecall: 1,
      precision: { right: 6, of: 6 },
      recall: { right: 6, of: 6 },
      securityRecall: { right: 1, of: 1 },
      breakingRecall: { right: 2, of: 2 },
      wronglyReported: { right: 0, of: 3 },
    });
  });

  it("that always say medium has half of the severities, and the recall of each class by its first name", () => {
    const score = scoreReleases(verdicts("medium", []), labels);
    // The releases 2 and 4. Low has the releases 1 and 2, medium has 4 and high has 3: (1/2 + 1/1 + 0/1) / 3.
    expect(score.inside).toMatchObject({ right: 2, of: 4, share: 0.5 });
    expect(score.recallOfClass).toEqual({
      low: { right: 1, of: 2, share: 0.5 },
      medium: { right: 1, of: 1, share: 1 },
      high: { right: 0, of: 1, share: 0 },
    });
    expect(score.macroRecall).toBeCloseTo(0.5, 10);
    expect(score.precision).toEqual({ right: 0, of: 0, share: null });
  });

  it("that report every kind everywhere has full recall, little precision, and every absent kind", () => {
    const every = findingKinds.map((kind): VerdictFinding => ({ kind, ...NOWHERE }));
    const score = scoreReleases(verdicts("high", every), labels);
    // Six of four times seventeen.
    expect(score.precision).toMatchObject({ right: 6, of: 68 });
    expect(score.recall).toMatchObject({ right: 6, of: 6 });
    expect(score.wronglyReported).toMatchObject({ right: 3, of: 3 });
    expect(score.precisionOfKind.security_fix).toEqual({ right: 1, of: 4, share: 0.25 });
    expect(score.recallOfKind.regression).toBeUndefined();
  });

  it("that report nothing has no recall and no precision to speak of", () => {
    const score = scoreReleases(verdicts("low", []), labels);
    expect(score).toMatchObject({ recall: { right: 0, of: 6 }, securityRecall: { right: 0, of: 1 }, wronglyReported: { right: 0, of: 3 } });
    expect(score.breakingRecall).toEqual({ right: 0, of: 2, share: 0 });
  });

  it("that name the right kinds at wrong places is as if they had named nothing right", () => {
    const wrong = findingKinds.map((kind): VerdictFinding => ({
      kind,
      commits: ["fffffff0"],
      files: ["other.ts"],
      dependencies: ["other"],
    }));
    expect(scoreReleases(verdicts("low", wrong), labels)).toMatchObject({ precision: { right: 0, of: 68 }, recall: { right: 0, of: 6 } });
  });

  it("counts a breaking change and a removed API as the same thing only in their common recall", () => {
    const score = scoreReleases(verdicts("low", [{ kind: "removed_api", ...NOWHERE }]), labels);
    expect(score.breakingRecall).toMatchObject({ right: 2, of: 2 });
    expect(score.recallOfKind.breaking_change).toMatchObject({ right: 0, of: 1 });
    expect(score.precision).toMatchObject({ right: 1, of: 4 });
  });

  it("does not exist without a verdict for each label", () => {
    expect(() => scoreReleases([], labels)).toThrow("There is no verdict for the release 1 of one.");
  });

  it("has a line for each difference", () => {
    const [first] = labels;
    const verdict: Verdict = {
      project: "one",
      release: "1",
      severity: "high",
      findings: [{ kind: "revert", ...NOWHERE, files: ["a.ts"] }],
    };
    expect(first && missesOf(verdict, first)).toEqual([
      "one 1: severity high, the label says low",
      "one 1: no label for revert at a.ts",
      "one 1: not found: hotfix at commit aaaaaaa1",
      "one 1: revert is reported, and the label calls it absent",
    ]);
  });
});

describe("the commonest class", () => {
  it("is the one that is right for most labels", () => {
    expect(commonestClass(labels)).toBe("low");
    expect(commonestClass(labels.slice(2))).toBe("high");
  });
});

describe("a share", () => {
  it("has the Wilson interval of a table", () => {
    // 8 of 10: 0.4902 to 0.9433. 0 of 10: 0 to 0.2775.
    expect(wilsonInterval(shareOf(8, 10)).map((end) => Number(end.toFixed(4)))).toEqual([0.4902, 0.9433]);
    expect(wilsonInterval(shareOf(0, 10)).map((end) => Number(end.toFixed(4)))).toEqual([0, 0.2775]);
    expect(wilsonInterval(shareOf(0, 0))).toEqual([0, 1]);
  });
});

describe("places", () => {
  const at = (places: Partial<VerdictFinding>) => ({ ...NOWHERE, ...places });

  it.each([
    ["commit 0a48e1805686", at({ commits: ["0a48e180"] }), false],
    ["commit 0a48e1805686", at({ commits: ["0a48e181"] }), true],
    ["commit 0a48e1805686", at({ commits: ["0a48"] }), true],
    ["commit 0a48e1805686", at({ files: ["a.ts"] }), false],
    ["lib/router", at({ files: ["lib/router/index.js"] }), false],
    ["lib/router", at({ files: ["lib/router.js"] }), true],
    ["src/index.ts", at({ files: ["packages/one/src/index.ts"] }), false],
    ["lib/response.js, send 0.19.0", at({ dependencies: ["send"] }), false],
    ["Django 4.2", at({ dependencies: ["django"] }), false],
    ["go-chi/chi v5", at({ dependencies: ["github.com/go-chi/chi/v5"] }), false],
    ["quic-go v0.37.3", at({ dependencies: ["golang.org/x/net"] }), true],
    ["build files", at({ files: ["a.ts"] }), false],
    ["lib/router", at({ commits: ["0a48e180"] }), false],
  ])("%s contradicts %j: %s", (where, places, answer) => {
    expect(contradict(placesOf(where), places)).toBe(answer);
  });

  it.each([
    ["It stops a crash (CVE-2026-1111).", at({ advisories: ["GHSA-aaaa-bbbb-cccc", "CVE-2026-1111"] }), true],
    ["It stops a crash (CVE-2026-2222).", at({ advisories: ["CVE-2026-1111"] }), false],
    ["It stops a crash.", at({ advisories: ["CVE-2026-1111"] }), false],
    ["It stops a crash.", at({ advisories: ["CVE-2026-1111"], commits: ["0a48e180"] }), true],
    ["It stops a crash.", at({ advisories: ["CVE-2026-1111"], commits: ["0a48e181"] }), false],
  ])("of an advisory agree only with the label that names it: %s %j: %s", (says, places, answer) => {
    expect(agree({ where: "commit 0a48e1805686", says }, places)).toBe(answer);
  });
});
