import { describe, expect, it } from "vitest";
import { isFix, readMessage } from "./commit-message.ts";

describe("commit message", () => {
  it("reads the conventional type and the mark of a breaking change", () => {
    expect(readMessage("feat(router)!: drop node 16", "")).toEqual({ type: "feat", breaking: true });
    expect(readMessage("fix: a race", "BREAKING CHANGE: the option is gone")).toMatchObject({ type: "fix", breaking: true });
    expect(readMessage("Note: this is no type", "")).toEqual({});
  });

  it.each([
    ["this reverts", 'Revert "a"', "This reverts commit 0123456789abcdef0123.", "0123456789ab"],
    ["a subject without a hash", 'Revert "a"', "", "unknown"],
    ["a conventional revert", "revert: a", "", "unknown"],
  ])("names the reverted commit: %s", (_, subject, body, reverts) => {
    expect(readMessage(subject, body).reverts).toBe(reverts);
  });

  it("does not count the revert of a part inside a squashed commit", () => {
    expect(readMessage("feat: add a page (#12)", '* one\n\n* Revert "one"\n\nThis reverts commit 0123456789.')).toEqual({ type: "feat" });
    expect(readMessage("Undo it", "This reverts commit 0123456789.").reverts).toBe("0123456789");
  });

  it("finds no words in addresses, and identifiers of advisories there too", () => {
    const body = "[score](https://example.org/managing-security-vulnerabilities/about-security-updates)\nhttps://example.org/CVE-2024-1234";
    expect(readMessage("build(deps): bump a", body)).toEqual({ type: "build", advisories: ["CVE-2024-1234"] });
  });

  it("keeps identifiers of advisories and of fixed issues", () => {
    const facts = readMessage("Merge pull request from GHSA-j5g3-5c8r-7qfx", "Fixes #12, closes other/repo#13. See CVE-2024-1234.");
    expect(facts).toMatchObject({ advisories: ["GHSA-j5g3-5c8r-7qfx", "CVE-2024-1234"], fixes: ["#12", "#13"], privateMerge: true });
    // GitHub's Security Lab gives its own, before there is an advisory.
    expect(readMessage("GHSL-2021-1014, GHSL-2021-1015", "").advisories).toEqual(["GHSL-2021-1014", "GHSL-2021-1015"]);
  });

  it.each([
    ["fix: prototype pollution", "prototype_pollution"],
    ["Drop Cookie header across domains", "information_leak"],
    ["fix a heap overflow in the tokenizer", "memory_safety"],
    ["avoid ReDoS in the range parser", "denial_of_service"],
    ["Improved fix for open redirect", "traversal"],
    ["Fix access after free", "memory_safety"],
    ["Fix heap-buffer-overflow", "memory_safety"],
    ["Updated dependencies which include CVE fixes", "vulnerability"],
  ])("finds the security words of %s", (subject, word) => {
    expect(readMessage(subject, "").security).toContain(word);
  });

  it.each([
    "Link with clang for Address Sanitizer",
    "docs: update SECURITY.md",
    "add an author",
    "dosing of retries",
    "Merge branch 'advisory' of docs",
  ])("finds no security word in %s", (subject) => {
    expect(readMessage(subject, "")).not.toHaveProperty("security");
    expect(readMessage(subject, "")).not.toHaveProperty("privateMerge");
  });

  it("knows what a body takes away from what it only names", () => {
    expect(readMessage("Update the page", "- Prevent possible XSS in names").repairs).toEqual(["injection"]);
    expect(readMessage("Explain XSS", "It is a way to attack. We fix other things.")).not.toHaveProperty("repairs");
  });

  it("knows the fix of a fault from the fix of a text", () => {
    expect(["fix: a crash", "Fixed bug in parser", "Fix regression"].filter(isFix)).toHaveLength(3);
    expect(["docs: fix link", "Fix typo", "test: fix flaky test", "Add prefix"].filter(isFix)).toEqual([]);
  });

  it("reads a message of a megabyte in a moment", () => {
    const long = `fix ${"a-".repeat(500_000)}`;
    const start = performance.now();
    readMessage(long.slice(0, 100_000), long);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
