import { describe, expect, it } from "vitest";
import { madeUpFacts, type Told } from "../../testing/made-up-facts.ts";
import { assessChange } from "./assess-change.ts";
import { saysHardening } from "./security-words.ts";

const rulesOf = (told: Told) => assessChange(madeUpFacts({ files: [{ added: 5 }], ...told })).findings.map(({ rule }) => rule);
const ghsa = "GHSA-aaaa-bbbb-cccc";

describe("a security fix", () => {
  it("is the merge of a private fork that changes product code, and one that changes only docs is none", () => {
    const merge = { subject: `Merge pull request from ${ghsa}`, privateMerge: true as const, advisories: [ghsa] };
    expect(rulesOf({ commits: [merge] })).toEqual(["security-advisory"]);
    expect(rulesOf({ commits: [{ ...merge, touches: ["test"] }] })).toEqual([]);
  });

  it("is the merge of a private fork that names no advisory", () => {
    expect(rulesOf({ commits: [{ subject: "Merge commit from fork" }] })).toEqual(["security-advisory"]);
  });

  it("is a commit whose subject names an advisory", () => {
    expect(rulesOf({ commits: [{ subject: "Add missing check (CVE-2026-1111)", advisories: ["CVE-2026-1111"] }] })).toEqual([
      "security-advisory",
    ]);
  });

  it("is a commit to templates whose subject names an advisory of GitHub's Security Lab", () => {
    const subject = "GHSL-2021-1014, GHSL-2021-1015";
    const found = (advisories: string[]) => rulesOf({ commits: [{ subject, advisories, touches: ["other"] }] });
    expect(found(["GHSL-2021-1014", "GHSL-2021-1015"])).toEqual(["security-advisory"]);
    expect(found([])).toEqual([]);
  });

  it("is no commit that only mentions an advisory in its body, unless the subject repairs something", () => {
    const advisories = ["CVE-2026-1111"];
    expect(rulesOf({ commits: [{ subject: "Add missing nonce to the tag", advisories }] })).not.toContain("security-advisory");
    expect(rulesOf({ commits: [{ subject: "fix: read the header once", advisories }] })).toEqual(["security-advisory"]);
  });

  it("is what a merge with an advisory brought: the commits after it that repair something, up to the next merge", () => {
    const commits = [
      { subject: "Merge branch for the next advisory", parents: 2, touches: [], advisories: ["CVE-2026-2222"] },
      { subject: "Fix a size", hash: "f1".repeat(6) },
      { subject: "Rename a variable" },
      { subject: "Merge branch of no meaning", parents: 2, touches: [] },
      { subject: "Fix another size" },
    ];
    const [found] = assessChange(madeUpFacts({ files: [{ added: 5 }], commits })).findings;
    expect(found).toMatchObject({ rule: "security-advisory", text: "1 commit to product code fixes a vulnerability (CVE-2026-2222)." });
    expect(found?.evidence[0]).toEqual({ commit: "f1".repeat(6), subject: "Fix a size" });
  });

  it("becomes a risky area if the commit relaxes the fix of an advisory", () => {
    expect(rulesOf({ commits: [{ subject: "Relax the fix of CVE-2026-1111", advisories: ["CVE-2026-1111"] }] })).toEqual([
      "security-relaxed",
    ]);
  });

  it("is announced if only the docs name the advisory, and if product code changes", () => {
    const commits = [{ subject: "Changes: document CVE-2026-1111", touches: ["docs" as const], advisories: ["CVE-2026-1111"] }];
    expect(rulesOf({ commits })).toEqual(["security-announced"]);
    expect(rulesOf({ commits, files: [{ kind: "docs", added: 5 }] })).toEqual([]);
  });

  it("is no commit that brings the earlier release to another branch", () => {
    const commits = [{ subject: "Bring 1.0.0 to main, fix XSS", advisories: [ghsa] }];
    expect(rulesOf({ commits, baseIsAncestor: false })).not.toContain("security-advisory");
  });

  it("is the step of a runtime dependency that a commit calls security, and not that of a tool", () => {
    const commits = [{ subject: "deps: bump parser to fix CVE-2026-1111", touches: ["manifest" as const], advisories: ["CVE-2026-1111"] }];
    expect(rulesOf({ commits, dependencies: [{ name: "@one/parser" }] })).toContain("security-dependency");
    expect(rulesOf({ commits, dependencies: [{ name: "@one/parser", use: "dev" }] })).toEqual([]);
  });

  it("is a step that no manifest shows, if its subject says that it is for security", () => {
    const bumping = (subject: string) =>
      rulesOf({ commits: [{ subject, touches: ["manifest", "lockfile"] }], dependencies: [{ name: "other", use: "dev" }] });
    expect(bumping("Bump the go-security group with 2 updates")).toEqual(["security-dependency"]);
    expect(bumping("Build: Upgrade zlib to security fixed 1.3.2")).toEqual(["security-dependency"]);
    expect(bumping("Bump dependencies to remediate vulnerabilities")).toEqual(["security-dependency"]);
    expect(bumping("Bump the group with 2 updates")).toEqual([]);
    expect(bumping("Bump other to fix a vulnerability")).toEqual([]);
    expect(bumping("Update security alerts for dev-dependencies")).toEqual([]);
    expect(bumping("Add a security policy")).toEqual([]);
    expect(bumping("chore: fix security (#9)")).toEqual(["security-dependency"]);
  });

  it("is a step that resolves an advisory without its number, and none that only silences a tool", () => {
    const found = (subject: string) => rulesOf({ commits: [{ subject, touches: ["manifest"], security: ["security"] }] });
    expect(found("Bump the signer to resolve GHSA")).toEqual(["security-dependency"]);
    expect(found("Update for security: false positives of a tool")).toEqual([]);
  });

  it("is a step of a vendored library by a person whose message names an advisory, and not one by a bot", () => {
    const found = (subject: string) =>
      rulesOf({ commits: [{ subject, touches: ["vendored", "config"], advisories: ["CVE-2026-1111"], security: ["vulnerability"] }] });
    expect(found("Update protobuf to v1.3.2")).toEqual(["security-dependency"]);
    expect(found("chore(deps): bump protobuf to v1.3.2")).toEqual([]);
    expect(found("Bump protobuf from 1.3.1 to 1.3.2")).toEqual([]);
  });

  it("is no step of a dependency whose name sounds like an attack", () => {
    const commits = [{ subject: "[Deps] update `side-channel`", touches: ["manifest" as const] }];
    expect(rulesOf({ commits, dependencies: [{ name: "side-channel" }] })).toEqual(["dependency-steps"]);
    const subject = "Bump cloud.google.com/go/security from 1.18.2 to 1.18.3 in the all group";
    expect(rulesOf({ commits: [{ subject, touches: ["manifest"] }] })).toEqual([]);
  });

  it("is only the step of the named module, although other modules have the same host in their names", () => {
    const subject = "chore(deps): update module github.com/one/parser to v2.0.1 [security]";
    const dependencies = ["github.com/one/parser", "github.com/two/printer"].map((name) => ({ name, manifest: "go.mod" }));
    const { findings } = assessChange(madeUpFacts({ files: [{ added: 5 }], commits: [{ subject, touches: ["manifest"] }], dependencies }));
    expect(findings[0]).toMatchObject({
      rule: "security-dependency",
      text: "1 runtime dependency moves for the sake of security: github.com/one/parser.",
    });
  });

  it("is a commit whose body prevents an attack, and not one that only adds something", () => {
    const repairs: ["injection"] = ["injection"];
    expect(rulesOf({ commits: [{ subject: "Update admin interface", repairs }] })).toEqual(["security-wording"]);
    expect(rulesOf({ commits: [{ subject: "Update admin interface", repairs: ["security"] }] })).toEqual([]);
    expect(rulesOf({ commits: [{ subject: "Document the page", repairs }] })).toEqual([]);
    expect(rulesOf({ commits: [{ subject: "Increase the limit of a form", repairs }] })).toEqual([]);
  });

  it("is a repair of an access whose body speaks of missing checks", () => {
    const security: ["access_control"] = ["access_control"];
    expect(rulesOf({ commits: [{ subject: "Some fixes for emergency access", security }] })).toEqual(["security-wording"]);
    expect(rulesOf({ commits: [{ subject: "Some fixes for emergency access" }] })).toEqual([]);
    expect(rulesOf({ commits: [{ subject: "Fix the requirement of a policy", security }] })).toEqual([]);
  });

  it("is a subject that keeps something out, if the body repairs a vulnerability", () => {
    const repairs: ["vulnerability"] = ["vulnerability"];
    expect(rulesOf({ commits: [{ subject: "restrict trusted hosts of the debugger", repairs }] })).toEqual(["security-wording"]);
    expect(rulesOf({ commits: [{ subject: "restrict trusted hosts of the debugger" }] })).toEqual([]);
    expect(rulesOf({ commits: [{ subject: "Updates and general changes", repairs }] })).toEqual([]);
  });

  it("is never a new feature, however its subject begins", () => {
    expect(
      rulesOf({ step: "minor", commits: [{ subject: "new and interesting exploits of frames", security: ["vulnerability"] }] }),
    ).toEqual([]);
    expect(rulesOf({ step: "minor", commits: [{ subject: "new and interesting frames" }] })).toEqual(["new-feature"]);
  });

  it("is the step of a runtime dependency if the body of a commit names an attack", () => {
    const step = { subject: "go.mod: upgrade x/net", touches: ["manifest" as const] };
    const dependencies = [{ name: "golang.org/x/net", manifest: "go.mod" }];
    expect(rulesOf({ commits: [{ ...step, security: ["denial_of_service"] }], dependencies })).toContain("security-dependency");
    expect(rulesOf({ commits: [step], dependencies })).toEqual(["dependency-steps"]);
  });
});

describe("a release that closes a way to do harm", () => {
  const fix = { subject: "Fix XSS", hash: "f1".repeat(6) };
  const commitsOf = (told: Told) =>
    assessChange(madeUpFacts({ files: [{ added: 5 }], ...told }))
      .findings.filter(({ kind }) => kind === "security_fix")
      .flatMap(({ evidence }) => evidence.flatMap((place) => ("subject" in place ? [place.subject] : [])));

  it.each([
    "fix: avoid panic on malformed URL",
    "api: validate name of a group",
    "RFC compliant parsing of headers",
    "jwt: accept only the compact form",
    "Limit encryption types",
    "Require specifying algorithms for the reader",
    "jws: Add expected algorithms for signatures",
    "Escape id of the list",
    "Reject short forms of unsafe options",
    "Set a tlsHandshakeTimeout for the listener",
    "Fix some more seg-faults on encoding.",
    "Refactor the buffer to ensure sufficient space on all additions",
  ])("has the further fix %j, which is none alone", (subject) => {
    expect(commitsOf({ commits: [{ subject }] })).toEqual([]);
    expect(commitsOf({ commits: [fix, { subject }] })).toEqual(["Fix XSS", subject]);
  });

  it("has a limit of depth as a further fix, which is a precaution alone", () => {
    const limit = { subject: "Cap nesting of lists to avoid RecursionError" };
    const kindsOf = (...commits: { readonly subject: string }[]) =>
      assessChange(madeUpFacts({ files: [{ added: 5 }], commits })).findings.map(({ kind, evidence }) => [
        kind,
        evidence.filter((place) => "subject" in place).length,
      ]);
    expect(kindsOf(limit)).toEqual([["security_hardening", 1]]);
    expect(kindsOf(fix, limit)).toEqual([["security_fix", 2]]);
  });

  it("has a repair of what keeps others out if the body speaks of security", () => {
    const subject = "fix(middleware/cors): wildcards of subdomains";
    expect(commitsOf({ commits: [{ subject, security: ["security"] }] })).toEqual([subject]);
    expect(commitsOf({ commits: [{ subject }] })).toEqual([]);
    expect(commitsOf({ commits: [{ subject: "fix(router): wildcards of names", security: ["security"] }] })).toEqual([]);
  });

  it("has a fix that breaks users on purpose as a further one, also if only the changelog names a vulnerability", () => {
    const subject = "fix!: name the algorithm";
    const breaking = { subject, type: "fix", breaking: true as const };
    expect(commitsOf({ commits: [breaking] })).toEqual([]);
    expect(commitsOf({ commits: [fix, breaking] })).toEqual(["Fix XSS", subject]);
    expect(commitsOf({ commits: [breaking], changelog: [{ file: "CHANGES.md", line: 1, says: ["security"] }] })).toEqual([subject]);
    expect(commitsOf({ commits: [fix, { ...breaking, subject: "fix(types)!: name the union" }] })).toEqual(["Fix XSS"]);
    expect(commitsOf({ commits: [fix, { subject: "fix: name the algorithm" }] })).toEqual(["Fix XSS"]);
  });

  it("may close it in the template of a page", () => {
    const escaped = { subject: "template: escape untrusted names", touches: ["other" as const] };
    expect(commitsOf({ commits: [escaped, { ...escaped, subject: "Fix XSS" }] })).toEqual([escaped.subject]);
    expect(commitsOf({ commits: [{ ...escaped, touches: ["docs"] }] })).toEqual([]);
  });

  it("has a subject that cleans what comes in, if the body names the attack", () => {
    const security: ["injection"] = ["injection"];
    expect(commitsOf({ commits: [{ subject: "issues: sanitize the title", security }] })).toHaveLength(1);
    expect(commitsOf({ commits: [{ subject: "issues: sanitize the title" }] })).toEqual([]);
  });

  it("has a commit that hardens something, if the body speaks of a vulnerability", () => {
    const security: ["vulnerability"] = ["vulnerability"];
    expect(commitsOf({ commits: [{ subject: "harden the handler", security }] })).toEqual(["harden the handler"]);
    expect(commitsOf({ commits: [{ subject: "harden the handler" }] })).toEqual([]);
  });

  it("has a stricter check whose body names an advisory", () => {
    expect(commitsOf({ commits: [{ subject: "RFC compliant parsing", advisories: [ghsa] }] })).toEqual(["RFC compliant parsing"]);
  });

  it("has the step of a dependency whose message says that it fixes security", () => {
    const step = { subject: "deps: one@1.0.1", touches: ["manifest" as const] };
    const repairs: ["security"] = ["security"];
    expect(rulesOf({ commits: [{ ...step, repairs }], dependencies: [{}] })).toContain("security-dependency");
    expect(rulesOf({ commits: [step], dependencies: [{}] })).not.toContain("security-dependency");
  });
});

describe("hardening", () => {
  it.each([
    ["fix: set max lengths in patterns", true],
    ["Add rate limiting to the login", true],
    ["Harden the parser of headers", true],
    ["Increase the maximum depth to 10000", false],
    ["Add a limit option", false],
    ["Disable TLS renegotiation.", true],
    ["enforce 2FA policy on login", true],
    ["Disable the cache", false],
    ["improve permission check for collections", true],
    ["improve the look of checks", false],
    ["enforce types", false],
    ["set CSP header of files", true],
    ["Fix the CSP header", false],
    ["Cap boundary length at 256 bytes", true],
    ["Bound header field name size", true],
  ])("has the subject %j: %s", (subject, says) => {
    expect(saysHardening(subject)).toBe(says);
  });

  it("is medium and no fix", () => {
    expect(assessChange(madeUpFacts({ files: [{ added: 5 }], commits: [{ subject: "Harden the parser" }] }))).toMatchObject({
      severity: "medium",
      findings: [{ kind: "security_hardening" }],
    });
  });
});
