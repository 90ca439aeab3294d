import { describe, expect, it } from "vitest";
import { madeUpFacts, type Told } from "../../testing/made-up-facts.ts";
import { assessChange } from "./assess-change.ts";

const assess = (told: Told) => assessChange(madeUpFacts({ files: [{ added: 5 }], ...told }));
const rulesOf = (told: Told) => assess(told).findings.map(({ rule }) => rule);

describe("a removed API", () => {
  it.each([
    ["a function of a module", "src/one.py", "gone", true],
    ["a method of Python", "src/one.py", "One.gone", true],
    ["a method of Go", "one.go", "One.Gone", true],
    ["a method of TypeScript", "src/index.ts", "One.gone", false],
    ["a method that only the language calls", "src/one.py", "One.__init__", false],
    ["a method that only the library of the language calls", "one.go", "One.UnmarshalJSON", false],
    ["a private module", "src/_one.py", "gone", false],
    ["an internal package", "internal/one.go", "Gone", false],
    ["an entry file of JavaScript", "src/index.ts", "gone", true],
    ["another file of JavaScript", "src/deep/one.ts", "gone", false],
  ])("is %s or not", (_, file, name, found) => {
    expect(rulesOf({ step: "minor", removed: [{ file, name }] })).toEqual(found ? ["removed-exports"] : []);
  });

  it("is what a subject takes from a public name that has another form after the release", () => {
    const subject = "Remove custom FormParser classes";
    const parser = (file: string, name = "FormParser.__init__") => rulesOf({ commits: [{ subject }], changed: [{ file, name }] });
    expect(parser("src/one.py")).toEqual(["removed-support"]);
    expect(parser("src/_one.py")).toEqual([]);
    expect(parser("src/one.py", "OtherParser.__init__")).toEqual([]);
    expect(rulesOf({ commits: [{ subject: "Remove custom parser" }], changed: [{ file: "src/one.py", name: "parser" }] })).toEqual([]);
    expect(rulesOf({ commits: [{ subject: "Rename FormParser" }], changed: [{ file: "src/one.py", name: "FormParser.run" }] })).toEqual([]);
  });

  it("is no name of a Python script beside the folders of the code, but one of a module that is alone", () => {
    const gone = (path: string) =>
      rulesOf({ step: "minor", removed: [{ file: "one.py", name: "gone" }], files: [{ path: "one.py" }, { path }] });
    expect(gone("src/shop/cart.py")).toEqual([]);
    expect(gone("tests/test_cart.py")).toEqual(["removed-exports"]);
    expect(gone("two.py")).toEqual(["removed-exports"]);
  });

  it("is no single name of a Python module in a patch or in 0.x, but two names are, and so is one of an entry file", () => {
    const [one, two] = ["gone", "away"].map((name) => ({ file: "src/one.py", name }));
    expect(rulesOf({ removed: [one ?? { file: "", name: "" }] })).toEqual([]);
    expect(rulesOf({ removed: [one ?? { file: "", name: "" }], step: "minor", from: "0.1.0", to: "0.2.0" })).toEqual([]);
    expect(rulesOf({ removed: [one ?? { file: "", name: "" }, two ?? { file: "", name: "" }] })).toEqual(["removed-exports"]);
    expect(rulesOf({ removed: [{ file: "src/one/__init__.py", name: "gone" }] })).toEqual(["removed-exports"]);
    expect(rulesOf({ removed: [{ file: "index.js", name: "gone" }] })).toEqual(["removed-exports"]);
  });

  it("is high, or medium in a patch and in a program of 0.x", () => {
    const removed = ["gone", "away"].map((name) => ({ file: "src/one.py", name }));
    expect(assess({ step: "minor", removed }).severity).toBe("high");
    const early = { step: "minor", from: "0.4.0", to: "0.5.0", removed: [{ file: "src/lib.rs", name: "gone" }] } as const;
    expect(assess(early).severity).toBe("high");
    expect(assess({ ...early, files: [{ path: "src/main.rs", added: 5 }] }).severity).toBe("medium");
    expect(assess({ removed }).severity).toBe("medium");
  });

  it("is a feature of a crate, but in a patch not one that only an optional dependency implied", () => {
    const removed = (name: string) => [{ file: "Cargo.toml", name }];
    expect(rulesOf({ removed: removed("feature tls") })).toEqual(["removed-exports"]);
    expect(rulesOf({ removed: removed("implied feature rand") })).toEqual([]);
    expect(rulesOf({ step: "minor", removed: removed("implied feature rand") })).toEqual(["removed-exports"]);
  });

  it("is not in an application with pinned dependencies", () => {
    const dependencies = [{ name: "django", from: "==4.1", to: "==4.2", manifest: "requirements.txt" }];
    expect(rulesOf({ step: "minor", removed: [{ file: "src/one.py", name: "gone" }], dependencies })).toEqual(["dependency-steps"]);
  });

  it.each([
    ["Remove non-standard code paths", ["code"], true],
    ["Dropped constant `uninitialized`", ["code", "docs"], true],
    ["Fixes #746, removed old 'client' flag", ["code", "docs"], true],
    ["remove ext traits", ["code"], true],
    ["Removed `parent` from the `wrap` hook's environment", ["code"], true],
    ["Remove before and after hooks", ["code"], false],
    ["Remove support for old clients", ["code"], true],
    ["remove previously deprecated code", ["code"], true],
    ["Drop the --verbose option", ["code", "docs"], true],
    ["Drop the --verbose option", ["code"], false],
    ["Remove compatibility route", ["code"], true],
    ["remove old parsing parameters", ["code"], true],
    ["Remove debug line", ["code"], false],
    ["Drop support for Python 3.7", ["code"], false],
    ["Drop support go1.10 (#2147)", ["code"], false],
    ["Remove unused methods", ["code", "docs"], false],
    ["lint: remove deprecated substr", ["code"], false],
    ["Remove usages of a deprecated function", ["code", "docs"], false],
    ["Drop support leftovers of OpenVMS", ["code"], false],
    ["Remove blank options", ["code", "docs"], false],
    ["Remove 2.7 support", ["code"], false],
    ["Remove empty and trailing options", ["code", "docs"], false],
    ["Remove the requirement of an option", ["code", "docs"], false],
    ["Remove blowfish from transport ciphers", ["code"], true],
    ["Remove unused `trust_it` parameter", ["code", "docs"], true],
    ["Remove unused `trust_it` parameter", ["code"], false],
    ["remove dirCache from mkdir", ["code", "docs"], true],
    ["Remove unused fields from dirCache", ["code", "docs"], false],
    ["Drop old_one dependency", ["code", "docs"], false],
    ["Remove legacy logic from the address of a client", ["code"], true],
    ["Remove legacy comments", ["code"], false],
    ["Remove metrics of offline CPUs in the collector", ["code"], true],
    ["Remove unused metrics", ["code"], false],
    ["Remove metrics package", ["code"], false],
    ["proto: Make BytesSource private", ["code"], true],
    ["Make sure that private keys stay private", ["code"], false],
  ] as const)("is the subject %j of a commit to %j: %s", (subject, touches, found) => {
    expect(rulesOf({ commits: [{ subject, touches: [...touches] }] })).toEqual(found ? ["removed-support"] : []);
  });

  it("of Rust is no finding in a patch, because tools of Rust refuse a patch that breaks a name within reach", () => {
    const rules = (file: string, step: "patch" | "minor") =>
      assess({ step, removed: [{ file, name: "gone" }], changed: [{ file, name: "other" }] }).findings.map(({ rule }) => rule);
    expect(rules("src/lib.rs", "patch")).toEqual([]);
    expect(rules("src/lib.rs", "minor")).toEqual(["removed-exports", "changed-signatures"]);
    expect(rules("a.go", "patch")).toEqual(["removed-exports", "changed-signatures"]);
  });
});
