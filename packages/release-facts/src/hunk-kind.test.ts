import { describe, expect, it } from "vitest";
import { kindOfHunk } from "./hunk-kind.ts";
import { parsePatch } from "./patch-reader.ts";

describe("kind of a hunk", () => {
  it.each([
    ["comment", "// a note about passwords"],
    ["import", 'import { verify } from "./auth.ts";'],
    ["version", '__version__ = "2.0.6"'],
    ["version", "#define XML_MINOR_VERSION 6"],
    ["auth", "if (!verifyToken(token)) return;"],
    ["sql", "db.run('select a from users')"],
    ["concurrency", "mu.Lock(); defer atomic.AddInt64(&n, 1)"],
    ["validation", "const value = parseInt(text, 10);"],
    ["error_handling", "catch (problem) {"],
    ["logging", "logger.info(name)"],
    ["other", "const author = one + two;"],
  ])("%s: %s", (kind, text) => {
    expect(kindOfHunk({ line: 1, replaces: [1, 1], removedLines: [], addedLines: [text] })).toBe(kind);
  });

  it("reads hunks by the ids of the contents, and lines that look like headers stay lines", () => {
    const [a, b] = ["1".repeat(40), "2".repeat(40)];
    const patch = `diff --git "a/x\\ny" "b/x\\ny"\nindex ${a}..${b} 100644\n--- a\n+++ b\n@@ -3,0 +4,2 @@ diff --git\n+diff --git a b\n+index 3..4\n@@ -9 +11,0 @@\n--- gone\n`;
    expect(parsePatch(patch).get(`${a}..${b}`)).toEqual([
      { line: 4, replaces: [3, 4], removedLines: [], addedLines: ["diff --git a b", "index 3..4"] },
      { line: 9, replaces: [9, 9], removedLines: ["-- gone"], addedLines: [] },
    ]);
  });
});
