import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { madeUpFacts, type Told } from "../../testing/made-up-facts.ts";
import { assessChange } from "./assess-change.ts";
import { changeRules } from "./change-rules.ts";
import { changeThresholds } from "./change-thresholds.ts";

const page = await readFile(new URL("../../../../../docs/offline-investigator.md", import.meta.url), "utf8");

function table(heading: string): readonly (readonly string[])[] {
  const section = page.split(/^#{2,3} /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll("`", "")),
  );
}

const plain = (text: string) => text.replaceAll("`", "");
const assess = (told: Told) => assessChange(madeUpFacts({ files: [{ added: 5 }], ...told }));
const rulesOf = (told: Told) => assess(told).findings.map(({ rule }) => rule);

describe("the page about the offline investigator", () => {
  it("has every rule over release facts and no other, with what it looks at, its severity and its limits", () => {
    const expected = Object.entries(changeRules).map(([name, { kind, looksAt, severity, limits }]) =>
      [name, kind ?? "none", looksAt, severity, limits].map(plain),
    );
    expect(table("The rules")).toEqual(expected);
  });

  it("has every number of these rules and no other", () => {
    const expected = Object.entries(changeThresholds).map(([name, { value, sentence }]) => [name, value.toString(), sentence]);
    expect(table("The numbers")).toEqual(expected);
  });
});

describe("a breaking change", () => {
  it("is a major step with a change of the product, and a minor step of 0.x is none", () => {
    expect(assess({ step: "major" })).toMatchObject({ severity: "high", findings: [{ rule: "breaking-major", kind: "breaking_change" }] });
    expect(rulesOf({ step: "major", files: [{ kind: "docs", added: 5 }] })).toEqual([]);
    expect(assess({ step: "minor", from: "0.1.0", to: "0.2.0" })).toMatchObject({ severity: "medium", findings: [] });
  });

  it("is a marked commit to the product, and not one to the workflows", () => {
    expect(rulesOf({ commits: [{ subject: "feat!: one", breaking: true }] })).toContain("breaking-marker");
    expect(rulesOf({ commits: [{ subject: "breaking: one" }] })).toContain("breaking-marker");
    expect(rulesOf({ commits: [{ subject: "ci!: one", breaking: true, touches: ["ci"] }] })).toEqual([]);
  });

  it("is a mark in brackets or another form of the API, but not a changed default", () => {
    expect(rulesOf({ commits: [{ subject: "[major] Rename the option" }] })).toEqual(["breaking-marker"]);
    expect(rulesOf({ commits: [{ subject: "[major] Flip the default value of one" }] })).toEqual(["changed-behaviour"]);
    expect(rulesOf({ step: "minor", commits: [{ subject: "feat: increase the default value of one" }] })).toEqual(["changed-behaviour"]);
    expect(rulesOf({ commits: [{ subject: "Change API and structs to camelCase" }] })).toEqual(["breaking-marker"]);
    expect(rulesOf({ commits: [{ subject: "Change the colour of the page" }] })).toEqual([]);
  });

  it.each([
    ["Change `url_for` signature to return an object", ["code"], true],
    ["Make the file argument of the upload required", ["code"], true],
    ["make all options keyword-only", ["code"], true],
    ["refactor: change the signature of redirects", ["code"], false],
    ["[Backport 4.x] refactor: change the signature of redirects", ["code"], false],
    ["Change the signature in the guide", ["docs"], false],
    ["Make `Algorithm` an abstract base class", ["code"], true],
    ["Make the abstract of a page longer", ["docs"], false],
    ["Make the check faster", ["code"], false],
    ["Require redirect_uri if several are registered (#9)", ["code"], true],
    ["Require `Sync` for services", ["code"], true],
    ["quic: require that a key is safe to share", ["code"], true],
    ["Require specifying algorithms for the reader", ["code"], true],
    ["Require some_package >= 2.2", ["code"], false],
    ["require a name for blueprints", ["code"], false],
    ["refactor: require explicit_depth", ["code"], false],
    ["Move internal packages to an internal folder", ["code"], true],
    ["Move the tests to an internal folder", ["test"], false],
    ["Rename the package name to follow a convention", ["code", "manifest"], true],
    ["Rename a variable of the package", ["code"], false],
    ["tests: change the signature of a helper", ["code"], false],
    ["Make Writer an unsafe trait", ["code"], true],
    ["Make an unsafe block smaller", ["code"], false],
  ] as const)("is a call with another form, as the subject %j of a commit to %j says: %s", (subject, touches, found) => {
    expect(rulesOf({ commits: [{ subject, touches: [...touches] }] }).includes("breaking-marker")).toBe(found);
  });

  it("is a function or a method of a Rust or Go library with other parameters, and not one of Python", () => {
    const changed = (file: string, name = "one") => assess({ step: "minor", changed: [{ file, name }], files: [{ path: file, added: 5 }] });
    expect(changed("one.go", "One.Run").findings).toMatchObject([{ rule: "changed-signatures" }]);
    expect(changed("src/input.rs")).toMatchObject({
      severity: "high",
      findings: [{ rule: "changed-signatures", kind: "breaking_change" }],
    });
    expect(changed("src/input.py").findings).toEqual([]);
  });

  it("is only medium if an interface has a new method, because calls still work", () => {
    const names = [{ file: "one.go", name: "One.Run" }];
    const told = { step: "minor" as const, changed: names, files: [{ path: "one.go", added: 5 }] };
    expect(assess({ ...told, added: names })).toMatchObject({ severity: "medium", findings: [{ rule: "changed-signatures" }] });
    expect(assess({ ...told, added: [{ file: "one.go", name: "One.Stop" }] }).severity).toBe("high");
  });
});

describe("a use that is refused", () => {
  it("is a breaking change, and a feature with a right of its own is none", () => {
    const subject = "api: require POST for actions";
    expect(assess({ commits: [{ subject }] })).toMatchObject({
      severity: "high",
      findings: [{ rule: "security-wording" }, { rule: "narrowed-access", kind: "breaking_change" }],
    });
    expect(rulesOf({ commits: [{ subject, touches: ["docs"] }] })).toEqual([]);
    expect(rulesOf({ step: "minor", commits: [{ subject: "feat: require login for the new page" }] })).not.toContain("narrowed-access");
  });
});

describe("a run time that is given up", () => {
  it.each([
    ["Drop support for Python 3.7", true],
    ["drop Python 3.6", true],
    ["Bump minimum Go and use new features", true],
    ["Support the four most recent major versions of Go", true],
    ["Document Python 3.7 requirement", true],
    ["[major] Drop support for Node.js < 10", true],
    ["Remove compat code for Python < 3.7", false],
    ["Drop Python 3.6 from the tests", false],
    ["Support Python 3.12", false],
    ["Remove the minimum of Go routines", false],
  ])("is a requirement of a library, as the subject %j says: %s", (subject, found) => {
    const dropped = (path: string) =>
      rulesOf({ files: [{ path, added: 5 }], commits: [{ subject, touches: ["manifest"] }] }).filter((rule) => rule === "dropped-runtime");
    expect(dropped("src/a.py")).toEqual(found ? ["dropped-runtime"] : []);
    expect(dropped("_examples/one/main.go")).toEqual(found ? ["dropped-runtime"] : []);
    expect(dropped("cmd/one/one.go")).toEqual([]);
    expect(dropped("src/main.rs")).toEqual([]);
  });

  it("is in a manifest, and makes a release medium", () => {
    const subject = "Drop support for Python 3.7";
    expect(assess({ commits: [{ subject, touches: ["manifest"] }] })).toMatchObject({
      severity: "medium",
      findings: [{ kind: "runtime_requirement" }],
    });
    expect(rulesOf({ commits: [{ subject, touches: ["ci"] }] })).toEqual([]);
  });
});

describe("a migration", () => {
  it("is a new file of that kind, and not one that was only formatted again", () => {
    expect(assess({ files: [{ kind: "migration", status: "A", path: "migrations/2.py" }] })).toMatchObject({ severity: "high" });
    expect(rulesOf({ files: [{ kind: "migration", status: "M", path: "migrations/1.py" }] })).toEqual([]);
  });

  it("is a file of migrations in a folder of a database that grows", () => {
    const grown = (path: string, told = {}) => rulesOf({ files: [{ path, status: "M", added: 5, deleted: 1, ...told }] });
    expect(grown("database/migrations.go")).toEqual(["new-migration"]);
    expect(grown("src/db/schema_migrations.ts")).toEqual(["new-migration"]);
    expect(grown("database/migrations.go", { deleted: 9 })).toEqual([]);
    expect(grown("docs/migrations.go")).toEqual([]);
    expect(grown("database/migrations_runner.go")).toEqual([]);
  });

  it("is no template of which a tool makes the migrations of its users", () => {
    const added = (path: string) => rulesOf({ files: [{ kind: "migration", status: "A", path }] });
    expect(added("lib/migrate/stub/js-schema.stub")).toEqual([]);
    expect(added("migrations/templates/1.sql")).toEqual([]);
    expect(added("migrations/1.sql")).toEqual(["new-migration"]);
  });

  it("names the empty one for another database too", () => {
    const files = ["mysql", "sqlite"].map((name) => ({ status: "A" as const, path: `migrations/${name}/2/up.sql` }));
    const [found] = assess({ files: [{ ...files[0], kind: "migration" }, files[1] ?? {}] }).findings;
    expect(found?.evidence.map((place) => "file" in place && place.file)).toEqual([
      "migrations/mysql/2/up.sql",
      "migrations/sqlite/2/up.sql",
    ]);
  });
});

describe("a required version", () => {
  it("is medium if it rises, low if it has another form, and nothing if it falls", () => {
    const requirement = (from: string, to: string) => assess({ requirements: [{ manifest: "go.mod", name: "go", from, to }] });
    expect(requirement("1.9", "1.20").severity).toBe("medium");
    expect(requirement("^10 || >=12", ">=10")).toMatchObject({ severity: "low", findings: [{ rule: "runtime-raised" }] });
    expect(requirement(">=12", ">=10").findings).toEqual([]);
  });
});

describe("dependencies", () => {
  it("of the product that move to another major version are medium, up or down, and those of tools and docs are nothing", () => {
    expect(rulesOf({ dependencies: [{ step: "major" }] })).toEqual(["dependency-major"]);
    expect(rulesOf({ dependencies: [{ from: "7.0.0", to: "6.0.0", step: "back" }] })).toEqual(["dependency-major"]);
    expect(rulesOf({ dependencies: [{ step: "major", use: "dev" }] })).toEqual([]);
    expect(rulesOf({ dependencies: [{ step: "major", manifest: "docs/requirements.txt" }] })).toEqual([]);
  });

  it("that all move at once have a major step only if a commit names it", () => {
    const dependencies = [...Array.from({ length: 10 }, (_, index) => ({ name: `d${index}` })), { name: "parser", step: "major" as const }];
    expect(rulesOf({ dependencies })).toEqual(["dependency-steps"]);
    expect(rulesOf({ dependencies: dependencies.slice(1) })).toEqual(["dependency-major"]);
    expect(rulesOf({ dependencies, commits: [{ subject: "Bump parser to 2.0", touches: ["manifest"] }] })).toEqual(["dependency-major"]);
  });

  it("from the same repository are nothing, however they move", () => {
    expect(rulesOf({ dependencies: [{ name: "anything", step: "minor", sibling: true }] })).toEqual([]);
    expect(rulesOf({ dependencies: [{ name: "anything", step: "minor" }] })).toEqual(["dependency-steps"]);
  });

  it("of tests in the same Go repository are nothing if they have the version of the release", () => {
    const sibling = { name: "go.io/one/api", from: "v1.0.0", to: "v1.0.1", sibling: true as const };
    const tests = { name: "go.io/one/tests", from: "v1.0.0", to: "v1.0.1" };
    expect(rulesOf({ dependencies: [sibling, tests] })).toEqual([]);
    expect(rulesOf({ dependencies: [tests] })).toEqual(["dependency-steps"]);
    expect(rulesOf({ dependencies: [sibling, { ...tests, to: "v1.0.2" }] })).toEqual(["dependency-steps"]);
    expect(rulesOf({ dependencies: [sibling, { ...tests, name: "go.io/two/tests" }] })).toEqual(["dependency-steps"]);
  });

  it("from the same monorepo are nothing if they move by a patch", () => {
    const own = { packageName: "@one/server" };
    expect(rulesOf({ ...own, dependencies: [{ name: "@one/types" }] })).toEqual([]);
    expect(rulesOf({ ...own, dependencies: [{ name: "@one/types", step: "minor" }] })).toEqual(["dependency-steps"]);
    expect(rulesOf({ ...own, dependencies: [{ name: "@two/types" }] })).toEqual(["dependency-steps"]);
    expect(rulesOf({ packageName: "openssl", dependencies: [{ name: "openssl-sys" }] })).toEqual([]);
    expect(rulesOf({ packageName: "openssl", dependencies: [{ name: "openssl2" }] })).toEqual(["dependency-steps"]);
  });

  it("of Go have another path for another major version", () => {
    const dependencies = [
      { name: "go.io/one", to: null, step: "unknown" as const },
      { name: "go.io/one/v2", from: null, step: "unknown" as const },
    ];
    expect(rulesOf({ dependencies })).toEqual(["dependency-major"]);
  });

  it("are low in a small release, medium from five, and no finding in a large release", () => {
    const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `d${index}` }));
    const files = Array.from({ length: 11 }, (_, index) => ({ path: `src/${index}.py`, added: 1 }));
    expect(assess({ dependencies: steps(4) }).severity).toBe("low");
    expect(assess({ dependencies: steps(5) }).severity).toBe("medium");
    expect(rulesOf({ dependencies: steps(4), files })).toEqual([]);
  });
});

describe("a hotfix", () => {
  const commits = [{ subject: "Fix the loop" }];
  const fresh: Told = { files: [{ added: 5, freshHunks: 1 }], freshSince: "0.9.0" };

  it("is a small repair within fifteen days of lines that the earlier release brought", () => {
    expect(assess({ ...fresh, days: 15, commits })).toMatchObject({ severity: "low", findings: [{ rule: "hotfix" }] });
    expect(rulesOf({ ...fresh, days: 16, commits })).toEqual([]);
    expect(rulesOf({ days: 15, commits, freshSince: "0.9.0" })).toEqual([]);
  });

  it("is no repair of what only a linter says", () => {
    expect(rulesOf({ ...fresh, days: 1, commits: [{ subject: "Fix linters" }] })).toEqual([]);
    expect(rulesOf({ ...fresh, days: 1, commits: [{ subject: "[pre-commit.ci] auto fixes from hooks" }] })).toEqual([]);
  });

  it("is also a repair whose subject says so", () => {
    expect(rulesOf({ days: 9, commits: [{ subject: "Fix regression in the loop" }] })).toEqual(["hotfix"]);
    expect(rulesOf({ days: 9, commits })).toEqual([]);
  });

  it("is any repair within a day", () => {
    expect(rulesOf({ days: 1, commits })).toEqual(["hotfix"]);
    expect(rulesOf({ days: 2, commits })).toEqual([]);
  });

  it("is no new text of a warning or an error, and no addition that closes an issue", () => {
    expect(rulesOf({ days: 1, commits: [{ subject: "fix: amend error codes of the loader", type: "fix" }] })).toEqual([]);
    expect(rulesOf({ days: 1, commits: [{ subject: "fix: misleading text in a deprecation warning", type: "fix" }] })).toEqual([]);
    expect(rulesOf({ days: 1, commits: [{ subject: "Add a check of actions", fixes: ["#1"] }] })).toEqual([]);
  });

  it("is no minor step, no candidate, no release with four commits, and none with a matter of security or a feature", () => {
    expect(rulesOf({ ...fresh, days: 1, commits, step: "minor" })).toEqual([]);
    expect(rulesOf({ ...fresh, days: 1, commits, to: "1.0.1-rc.1" })).toEqual([]);
    expect(rulesOf({ ...fresh, days: 1, commits: [...commits, {}, {}, {}] })).toEqual([]);
    expect(rulesOf({ ...fresh, days: 1, commits: [...commits, { subject: "Fix XSS" }] })).toEqual(["security-wording"]);
    expect(rulesOf({ ...fresh, days: 1, commits: [...commits, { subject: "feat: one" }] })).toEqual(["new-feature"]);
  });
});

describe("a revert", () => {
  const revert = { subject: 'Revert "Send it twice (#12)" (#13)', reverts: "unknown" };

  it("takes back product code of an earlier release", () => {
    expect(assess({ commits: [revert] })).toMatchObject({ severity: "low", findings: [{ rule: "revert" }] });
  });

  it("is a dependency that moves back, if a commit says so", () => {
    const dependencies = [{ from: "1.2.0", to: "1.1.0", step: "back" as const }];
    expect(rulesOf({ dependencies })).toEqual(["dependency-steps"]);
    expect(rulesOf({ dependencies, commits: [{ subject: "Downgrade one", touches: ["manifest"] }] })).toEqual([
      "dependency-steps",
      "revert",
    ]);
  });

  it("of docs, of the build, or of a commit in the same release is none", () => {
    expect(rulesOf({ commits: [{ ...revert, touches: ["ci", "docs"] }] })).toEqual([]);
    expect(rulesOf({ commits: [revert, { subject: "Send it twice (#12)" }] })).toEqual([]);
    expect(rulesOf({ commits: [{ ...revert, reverts: "abcdef1234" }, { hash: "abcdef123456" }] })).toEqual([]);
  });

  it("is not reported if the reverted commit may be among the omitted ones", () => {
    expect(rulesOf({ commits: [revert], omittedCommits: 5 })).toEqual([]);
    expect(rulesOf({ commits: [{ ...revert, reverts: "abcdef123456" }], omittedCommits: 5 })).toEqual(["revert"]);
    expect(rulesOf({ commits: [{ ...revert, reverts: "abcdef123456", revertsInRelease: true }], omittedCommits: 5 })).toEqual([]);
  });
});

describe("features, behaviour and deprecations", () => {
  it.each([
    ["feat: one", "patch", ["code"], "new-feature"],
    ["Add an option for names", "minor", ["code"], "new-feature"],
    ["Add an option for names", "patch", ["code", "docs"], "new-feature"],
    ["Add an option for names", "patch", ["code"], null],
    ["Allow numbers as names", "patch", ["code", "docs"], null],
    ["Add missing check", "minor", ["code"], null],
    ["Add tests", "minor", ["code"], null],
    ["refactor: add a class", "minor", ["code"], null],
    ["Reject empty names", "patch", ["code"], "changed-behaviour"],
    ["Reject empty names", "minor", ["code"], "stricter-use"],
    ["Disallow two names for one thing", "minor", ["code"], "stricter-use"],
    ["fix: reject empty names", "minor", ["code"], null],
    ["fix: reject empty names", "patch", ["code"], null],
    ["Require parser >= 2.1", "minor", ["code"], null],
    ["Add a version file", "minor", ["code"], null],
    ["Add more documentation of sessions", "minor", ["code"], null],
    ["feat: improve error message of names", "minor", ["code"], null],
    ["Default to UTF-8", "patch", ["code"], "changed-behaviour"],
    ["fix: throw a useful error", "patch", ["code"], null],
    ["fix(deps): add all steps", "minor", ["code"], null],
    ["fix: add an option for names", "minor", ["code"], null],
    ["feat: fixes a leak of memory", "minor", ["code"], null],
    ["Add the typing_extensions dependency", "minor", ["code"], null],
    ["Implement async/sync tests", "minor", ["code"], null],
    ["Deprecate the old name", "patch", ["code"], "deprecation"],
    ["Undeprecate the old name", "patch", ["code"], null],
    ["Add deprecation warnings for the old name", "minor", ["code", "docs"], "deprecation"],
    ["feat: warn users about forms", "minor", ["code"], null],
    ["Allow links to telephones by default", "minor", ["code"], "changed-behaviour"],
    ["Allow links to telephones", "minor", ["code"], "new-feature"],
    ["no path by default", "minor", ["code"], "changed-behaviour"],
    ["Reject unknown names earlier", "minor", ["code"], null],
    ["Refuse to compile with an old library", "patch", ["code"], null],
    ["Add website.", "minor", ["code"], null],
    ["Add a package of clocks for better time mocking", "minor", ["code"], null],
    ["Add socket headers for FreeBSD", "minor", ["code"], null],
    ["Add headers to the details of a request", "minor", ["code"], "new-feature"],
    ["Add form double submit protection", "minor", ["code"], null],
    ["Allow to use the package with Python 3.11", "minor", ["code"], null],
    ["Add support for Go 1.22", "minor", ["code"], null],
    ["Require Node.js v12 or higher", "minor", ["code"], null],
  ] as const)("have the subject %j in a %s of %j: %s", (subject, step, touches, rule) => {
    expect(rulesOf({ step, commits: [{ subject, touches: [...touches] }] })).toEqual(rule === null ? [] : [rule]);
  });
});

describe("a stricter use", () => {
  it("is nothing that users must be told of in a major step", () => {
    const commits = [{ subject: "Reject empty names" }];
    expect(rulesOf({ step: "major", commits })).toEqual(rulesOf({ step: "major", commits: [{ subject: "Work" }] }));
  });
});

describe("a large change", () => {
  it("is medium from 1,500 inserted lines and high from 5,000, and deleted lines do not count", () => {
    const severity = (file: object, more: Told = {}) =>
      assess({ files: [file], ...more }).findings.map((finding) => `${finding.severity} ${finding.rule}`);
    expect(severity({ added: 1499, deleted: 9999 })).toEqual([]);
    expect(severity({ added: 1500 })).toEqual(["medium large-change"]);
    expect(severity({ added: 5000 })).toEqual(["high large-change"]);
  });

  it("is not high in a candidate", () => {
    expect(assess({ step: "minor", to: "2.0.0-rc.1", files: [{ added: 50_000 }] })).toMatchObject({ severity: "medium" });
  });
});
