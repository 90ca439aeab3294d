import { describe, expect, it } from "vitest";
import { madeUpFacts, type Told } from "../../testing/made-up-facts.ts";
import { assessChange } from "./assess-change.ts";

const assess = (told: Told) => assessChange(madeUpFacts({ step: "minor", files: [{ added: 5 }], ...told }));
const rulesOf = (told: Told) => assess(told).findings.map(({ rule }) => rule);
const at = { file: "CHANGES.md", line: 7 };

describe("an entry of a changelog", () => {
  it("about security is a security fix, with the commit that it is about", () => {
    const commits = [{ hash: "f1".repeat(6), subject: "Count the parts" }];
    const told: Told = { commits, changelog: [{ ...at, says: ["security"], advisories: ["CVE-2026-1111"], commits: ["f1".repeat(6)] }] };
    expect(assess(told)).toMatchObject({
      severity: "high",
      because: "The changelog says that 1 change closes a way to do harm (CVE-2026-1111).",
      findings: [{ rule: "security-changelog", kind: "security_fix", evidence: [{ commit: "f1".repeat(6) }] }],
    });
  });

  it("has its own line as the place if the facts do not show the commit", () => {
    const [found] = assess({ changelog: [{ ...at, says: ["security"], commits: ["e".repeat(12)] }] }).findings;
    expect(found).toMatchObject({ rule: "security-changelog", evidence: [{ file: "CHANGES.md", lines: [7, 7] }] });
  });

  it("is no second finding if a commit says the same, and replaces a commit that only announces a fix", () => {
    const fix = { hash: "f1".repeat(6), subject: "Prevent integer overflow" };
    const changelog: Told["changelog"] = [{ ...at, says: ["security"], commits: [fix.hash] }];
    expect(rulesOf({ commits: [fix], changelog })).toEqual(["security-wording"]);
    expect(rulesOf({ commits: [fix], changelog: [{ ...at, says: ["security"] }] })).toEqual(["security-wording"]);
    const announced = { subject: "Changes: document CVE-2026-1111", touches: ["docs" as const], advisories: ["CVE-2026-1111"] };
    expect(rulesOf({ commits: [announced], changelog: [{ ...at, says: ["security"] }] })).toEqual(["security-changelog"]);
  });

  it("about something breaking or removed is high, and medium in a patch or in a program of 0.x", () => {
    const breaking: Told = { changelog: [{ ...at, says: ["breaking"] }] };
    const removed: Told = {
      commits: [{ hash: "f1".repeat(6) }],
      changelog: [{ ...at, says: ["removed", "breaking"], commits: ["f1".repeat(6)] }],
    };
    expect(assess(breaking)).toMatchObject({ severity: "high", findings: [{ rule: "breaking-changelog", kind: "breaking_change" }] });
    expect(assess(removed)).toMatchObject({ severity: "high", findings: [{ rule: "removed-changelog", kind: "removed_api" }] });
    expect(assess({ ...removed, step: "patch" }).severity).toBe("medium");
    expect(assess({ ...breaking, from: "0.1.0", to: "0.2.0" }).severity).toBe("high");
    expect(assess({ ...breaking, from: "0.1.0", to: "0.2.0", files: [{ path: "src/main.rs", added: 5 }] }).severity).toBe("medium");
  });

  it("about something breaking or removed is nothing in a patch if it is the only one and names no commit", () => {
    const entry = { ...at, says: ["breaking" as const] };
    expect(rulesOf({ step: "patch", changelog: [entry] })).toEqual([]);
    expect(rulesOf({ step: "patch", changelog: [{ ...at, says: ["removed"] }] })).toEqual([]);
    expect(rulesOf({ step: "patch", changelog: [entry, entry] })).toEqual(["breaking-changelog"]);
  });

  it("about a repaired test is no security fix, and one about a revert or about a requirement that is gone breaks nobody", () => {
    const about = (says: "security" | "breaking" | "removed", subject: string) =>
      rulesOf({ commits: [{ hash: "f1".repeat(6), subject }], changelog: [{ ...at, says: [says], commits: ["f1".repeat(6)] }] });
    expect(about("security", 'Tweak the "no stack overflow" test (#12)')).toEqual([]);
    expect(about("security", "Tweak the stack")).toEqual(["security-changelog"]);
    expect(about("breaking", "Revert #130: ignore unknown keys")).toEqual([]);
    expect(about("breaking", "Ignore unknown keys")).toEqual(["breaking-changelog"]);
    expect(about("removed", "Remove the algorithm requirement")).toEqual([]);
    expect(about("removed", "Remove the algorithm")).toEqual(["removed-changelog"]);
  });

  it("about something breaking is no second finding in a major step", () => {
    expect(rulesOf({ step: "major", changelog: [{ ...at, says: ["breaking"] }] })).toEqual(["breaking-major"]);
  });

  it("is nothing if neither the product nor a dependency changes, or if it only adds or deprecates something", () => {
    expect(rulesOf({ files: [{ kind: "docs", added: 5 }], changelog: [{ ...at, says: ["security"] }] })).toEqual([]);
    expect(
      rulesOf({
        changelog: [
          { ...at, says: ["added"] },
          { ...at, says: ["deprecated"] },
        ],
      }),
    ).toEqual([]);
  });

  it("about a removal is none if its commit only moves a dependency", () => {
    const changelog: Told["changelog"] = [{ ...at, says: ["removed"], commits: ["f1".repeat(6)] }];
    const commit = (touches: readonly ("code" | "manifest")[]) => [{ hash: "f1".repeat(6), subject: "deps: one", touches: [...touches] }];
    expect(rulesOf({ commits: commit(["manifest"]), changelog })).toEqual([]);
    expect(rulesOf({ commits: commit(["code"]), changelog })).toEqual(["removed-changelog"]);
  });

  it("is not about the commit that makes the release, and no second finding about hardening", () => {
    const changelog: Told["changelog"] = [{ ...at, says: ["security"], commits: ["f1".repeat(6)] }];
    const fix = { subject: "Fix XSS" };
    expect(rulesOf({ commits: [{ hash: "f1".repeat(6), subject: "chore(release): v1.1.0" }, fix], changelog })).toEqual([
      "security-wording",
    ]);
    expect(rulesOf({ commits: [{ hash: "f1".repeat(6), subject: "bump to 22.0" }, fix], changelog })).toEqual(["security-wording"]);
    expect(rulesOf({ commits: [{ hash: "f1".repeat(6), subject: "Update details and bump version number." }, fix], changelog })).toEqual([
      "security-wording",
    ]);
    expect(rulesOf({ commits: [{ hash: "f1".repeat(6), subject: "Releasing 1.1.0" }, fix], changelog })).toEqual(["security-wording"]);
    expect(rulesOf({ commits: [{ hash: "f1".repeat(6), subject: "Harden the parser" }], changelog })).toEqual(["security-hardening"]);
  });

  it("makes its commit no feature", () => {
    const commits = [{ hash: "f1".repeat(6), subject: "feat: limit the parts of a form" }];
    expect(rulesOf({ commits, changelog: [{ ...at, says: ["security"], commits: ["f1".repeat(6)] }] })).toEqual(["security-changelog"]);
  });
});
