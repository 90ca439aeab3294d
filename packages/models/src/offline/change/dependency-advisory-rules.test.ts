import type { ReleaseFacts } from "@toolbus/release-facts";
import { describe, expect, it } from "vitest";
import { madeUpFacts, type Told } from "../../testing/made-up-facts.ts";
import { assessChange } from "./assess-change.ts";

type Step = NonNullable<NonNullable<ReleaseFacts["advisories"]>["dependencies"]>["list"][number];

const ids = (...names: readonly string[]) => ({ omitted: 0, list: names.map((id) => ({ id })) });
const npm: Step = { manifest: "package.json", name: "qs", use: "runtime", from: "6.9.6", to: "6.9.7", fixed: ids("CVE-2026-1111") };
const go: Step = { ...npm, manifest: "go.mod", name: "golang.org/x/net", from: "0.44.0", to: "0.45.0" };

function assess(list: readonly Step[], told: Told = {}) {
  const none = { omitted: 0, list: [] };
  const advisories = { ofPackage: 0, fixed: none, open: none, dependencies: { omitted: 0, list: [...list] } };
  return assessChange({ ...madeUpFacts({ files: [{ added: 5 }], ...told }), advisories });
}

describe("a step of a dependency over a published vulnerability", () => {
  it("is a security fix with the manifest, the dependency and the advisories as places", () => {
    const { severity, findings, unknowns } = assess([{ ...npm, fixed: { omitted: 1, list: [{ id: "CVE-2026-1111" }] } }]);
    expect(severity).toBe("medium");
    expect(unknowns).toEqual([]);
    expect(findings).toMatchObject([
      {
        rule: "dependency-advisory",
        kind: "security_fix",
        text: "The step of qs from 6.9.6 to 6.9.7 closes 2 known vulnerabilities (CVE-2026-1111).",
        evidence: [{ file: "package.json", lines: null }, { dependency: "qs", from: "6.9.6", to: "6.9.7" }, { advisory: "CVE-2026-1111" }],
      },
    ]);
  });

  it("of a module with many parts is only a change of a dependency, and a higher lowest release of Go is nothing", () => {
    const rules = (step: Step) => assess([step]).findings.map(({ rule, kind }) => [rule, kind]);
    expect(rules(go)).toEqual([["dependency-closes", "dependency_change"]]);
    expect(rules({ ...go, name: "gopkg.in/yaml.v3" })).toEqual([["dependency-advisory", "security_fix"]]);
    const itself = { ...go, manifest: ".go-version", name: "stdlib" };
    expect(rules(itself)).toEqual([["dependency-closes", "dependency_change"]]);
    expect(rules({ ...itself, lowest: true })).toEqual([]);
  });

  it("of a crate or a Python package is a security fix if the lowest version is raised to exactly the one with the fix", () => {
    const rules = (step: Partial<Step>) => assess([{ ...npm, ...step }]).findings.map(({ rule }) => rule);
    for (const manifest of ["Cargo.toml", "crates/a/Cargo.toml", "setup.cfg", "pyproject.toml"]) {
      expect(rules({ manifest, lowest: true, firstFixed: true })).toEqual(["dependency-advisory"]);
      expect(rules({ manifest, lowest: true })).toEqual([]);
      expect(rules({ manifest })).toEqual(["dependency-closes"]);
    }
  });

  it("names the commits that name the dependency and its version, and no other ones", () => {
    const subjects = ["Bump x/net to 0.45.0", "Bump x/net to 0.45.01", "Bump x/text to 0.45.0"];
    const [found] = assess([go], { commits: subjects.map((subject) => ({ subject, touches: ["manifest" as const] })) }).findings;
    expect(found?.evidence.flatMap((place) => ("subject" in place ? [place.subject] : []))).toEqual(["Bump x/net to 0.45.0"]);
  });

  it("does not count for indirect dependencies and for manifests of tests and docs", () => {
    const aside: readonly Step[] = [
      { ...go, use: "optional" },
      { ...npm, manifest: "docs/package.json" },
    ];
    expect(assess(aside).findings).toEqual([]);
  });

  it("is reported once if a message calls the same step a matter of security", () => {
    const step = { ...npm, name: "follow-redirects" };
    const commits = [
      { subject: "Bump follow-redirects because of CVE-2026-1111", advisories: ["CVE-2026-1111"], touches: ["manifest" as const] },
    ];
    const { findings } = assess([step], { commits, dependencies: [{ name: "follow-redirects", from: "6.9.6", to: "6.9.7" }] });
    expect(findings.filter(({ kind }) => kind === "security_fix").map(({ rule }) => rule)).toEqual(["security-dependency"]);
  });

  it("does not hide a step to another major version", () => {
    const { findings } = assess([npm], { dependencies: [{ name: "qs", from: "6.9.6", to: "7.0.0", step: "major" }] });
    expect(findings.map(({ rule }) => rule)).toEqual(["dependency-advisory", "dependency-major"]);
  });

  it("that brings one is a risky area", () => {
    const { fixed: _, ...step } = npm;
    const bringing = { ...step, brought: ids("CVE-2026-2222") };
    expect(assess([bringing]).findings).toMatchObject([
      {
        rule: "dependency-vulnerable",
        kind: "risky_area",
        severity: "medium",
        text: "The step of qs from 6.9.6 to 6.9.7 brings 1 known vulnerability (CVE-2026-2222).",
      },
    ]);
    expect(assess([{ ...bringing, from: null }]).findings).toMatchObject([
      { text: "Version 6.9.7 of qs brings 1 known vulnerability (CVE-2026-2222)." },
    ]);
  });
});
