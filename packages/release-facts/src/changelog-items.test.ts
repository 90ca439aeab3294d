import { describe, expect, it } from "vitest";
import { changelogItems, isChangelog } from "./changelog-items.ts";
import { firstVersionIn } from "./version-step.ts";

const from = firstVersionIn("1.0.0");
const to = firstVersionIn("1.1.0");
const items = (after: string, before = "") =>
  changelogItems(before, after, from, to).map(({ line, marks }) => `${line} ${marks.join(" ")}`);

describe("the entries of a changelog", () => {
  it("say what their headings say, in Markdown", () => {
    const text = "# Changes\n\n## [1.1.0] - 2026-01-01\n\n### Security\n\n- one\n\n### Removed\n\n- two\n- three\n\n### Fixed\n\n- four\n";
    expect(items(text)).toEqual(["7 security", "11 removed", "12 removed"]);
  });

  it("say what their words say, also over several lines", () => {
    const text = [
      "Version 1.1.0",
      "-------------",
      "",
      "-   Limit the number of parts. This mitigates a DoS",
      "    attack with many of them. :issue:`12`",
      "-   **Breaking change:** names are lower case",
      "-   Removed the deprecated option",
      "-   Drop support for Python 3.7",
      "-   Deprecate the old name",
      "-   Make it faster",
    ].join("\n");
    expect(items(text)).toEqual(["4 security", "6 breaking", "7 removed", "9 deprecated"]);
  });

  it("belong to the release by the version above them, so those of older releases do not count", () => {
    const text = "## 1.1.0\n- Fix XSS\n\n## 1.0.0\n- Fix a heap overflow\n\n## 2.0.0\n- Fix an open redirect\n";
    expect(items(text)).toEqual(["2 security"]);
  });

  it("are no warning that every section repeats, but a fix with the words of another branch counts", () => {
    const old =
      "## 1.0.0\n- Breaking change: the model of tokens has a new field\n- Fix XSS in the list of all the pages\n- Removed the option\n";
    const text = old.replace("1.0.0", "1.1.0");
    expect(items(`${text}\n${old}`, old)).toEqual(["3 security", "4 removed"]);
    expect(items(text)).toEqual(["2 breaking", "3 security", "4 removed"]);
  });

  it("without a version count if the earlier file did not have them", () => {
    expect(items("## Unreleased\n- Fix XSS\n- Fix an open redirect\n", "## Unreleased\n- Fix XSS\n")).toEqual(["3 security"]);
  });

  it("stand below indented headings that end with a colon", () => {
    const text =
      "Release 1.1.0 Tue September 20 2022\n        Security fixes:\n       #629 #640  CVE-2026-1111 -- Heap use-after-free\n\n        Bug fixes:\n            #634  Fix a build\n";
    const [found, ...more] = changelogItems("", text, from, to);
    expect(found).toMatchObject({ line: 3, marks: ["security"], advisories: ["CVE-2026-1111"], issues: ["#629", "#640"] });
    expect(more).toEqual([]);
  });

  it("name commits by hash, and no number is a hash", () => {
    const [found] = changelogItems("", "## 1.1.0\n- [`717534e`](https://x.test) Fix XSS 12345678\n", from, to);
    expect(found?.hashes).toEqual(["717534e"]);
  });

  it("of the candidates of the earlier version do not belong to the release, and those of its own candidates do", () => {
    const text = "## 1.1.0\n- Make it faster\n\n## 1.1.0-beta\n- Fix XSS\n\n## 1.0.0\n\n## 1.0.0-beta\n- Fix an open redirect\n";
    expect(items(text)).toEqual(["5 security"]);
  });

  it.each(["N/A", "None.", "- n/a", "- No changes", "- No known breaking changes"])("are none if a section only says %j", (nothing) => {
    expect(items(`## 1.1.0\n\n### Breaking Changes\n\n${nothing}\n`)).toEqual([]);
  });

  it("below a heading about compatibility are breaking", () => {
    expect(items("## 1.1.0\n\n### Backwards compatibility breaks:\n\n- There is no build\n")).toEqual(["5 breaking"]);
  });

  it.each([
    ["Uses the standard parser to stop attacks on the check of hosts", "security"],
    ["No longer trusts malicious names", "security"],
    ["Fix memory corruption", "security"],
    ["Only allow requests from this machine. :ghsa:`2g68-c3qc-8985`", "security"],
    ["Limit the depth (CVE-2026-1111)", "security"],
    ["This breaks backward compatibility", "breaking"],
    ["Not backwards compatible with old files", "breaking"],
    ["The extra option has been removed", "removed"],
    ["The tool no longer supports old clients", "removed"],
  ])("say with %j: %s", (text, mark) => {
    expect(items(`## 1.1.0\n- ${text}\n`)).toEqual([`2 ${mark}`]);
  });

  it.each([
    "No breaking changes",
    "docs: explain XSS",
    "Remove the file `_version.py`",
    "Add an option",
    "Fix MS-DOS line endings",
    "#12 CI: Adapt to breaking changes in a tool",
    "The validation of old sessions has been removed",
    "Fix a double free on exit",
    "Explain attacks",
    "Removed import of the module for addresses",
    "Removed wrong argument of an error",
  ])("say neither security nor breaking nor removed with %j", (text) => {
    expect(items(`## 1.1.0\n- ${text}\n`).filter((item) => !item.endsWith("added"))).toEqual([]);
  });

  it("are in files with one of the usual names", () => {
    expect(["CHANGELOG.md", "History.md", "CHANGES.rst", "expat/Changes", "packages/kit/CHANGELOG.md"].filter(isChangelog)).toHaveLength(5);
    expect(["src/history.ts", "docs/changes-guide.md", "vendor/x/CHANGELOG.md"].filter(isChangelog)).toEqual([]);
  });
});
