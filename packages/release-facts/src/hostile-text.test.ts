import { describe, expect, it } from "vitest";
import { changelogItems } from "./changelog-items.ts";
import { readMessage } from "./commit-message.ts";
import { exportsOf } from "./exported-names.ts";
import { kindOf } from "./file-kind.ts";
import { kindOfHunk } from "./hunk-kind.ts";
import { readManifest } from "./manifest.ts";
import { parsePatch } from "./patch-reader.ts";
import { firstVersionIn } from "./version-step.ts";

// Contents come from foreign repositories, and the deadline of git does not stop a slow pattern. So each reader must be fast on the longest content.
const LENGTH = 128 * 1024;
const PARTS = [
  " ",
  "\n",
  " \n",
  "\t",
  "/*",
  "(",
  "{",
  "[",
  "export function",
  "export {",
  "export function ",
  "exports.",
  "exports .",
  "module.exports = {",
  "module.exports =\n",
  "a.prototype.b = function ",
  "class ",
  "def a(",
  "def a(\n",
  "def a(b=\n",
  '"""\n',
  "    def a(",
  "async ",
  "__all__ = [",
  "func (",
  "func A",
  "var (\n",
  "type (\n\t",
  "create ",
  "version",
  "a = [\n",
  "[dependencies",
  "[features]\n",
  "[dependencies]\na = { optional = true }\n",
  "a = { optional  ",
  '["dep:a",',
  "install_requires = [",
  "install_requires =\n ",
  "gem ",
  "<dependency>",
  "require (\n",
  "\\",
  "fixes ",
  "leak ",
  "prevent ",
  "- ",
  "# ",
  "**A",
  "impl A",
  "pub fn a",
  "pub use a::{",
  "1.1.0 ",
  "updated ",
  "Merge ",
  "@@ -1 +1 @@\n+",
  "diff --git a b\n",
];
const READERS: readonly (readonly [string, (text: string) => unknown])[] = [
  ["exports of a script", (text) => exportsOf("a.ts", text)],
  ["exports of Python", (text) => exportsOf("a.py", text)],
  ["exports of Go", (text) => exportsOf("a.go", text)],
  ["exports of Rust", (text) => exportsOf("a.rs", text)],
  ["features of a crate", (text) => exportsOf("Cargo.toml", text)],
  ["a changelog", (text) => changelogItems("", `## 1.1.0\n- ${text}`, firstVersionIn("1.0.0"), firstVersionIn("1.1.0"))],
  ["the kind of a file", (text) => kindOf("db/migrations/a.sql", text)],
  ["a message", (text) => readMessage(text.slice(0, 2000), text)],
  ["a hunk", (text) => kindOfHunk({ line: 1, replaces: [1, 1], removedLines: [], addedLines: text.split("\n").slice(0, 5000) })],
  ["a patch", (text) => parsePatch(text)],
  ...["package.json", "go.mod", "requirements.txt", "setup.cfg", "pyproject.toml", "Gemfile", "pom.xml"].map(
    (file) => [file, (text: string) => readManifest(file, text)] as const,
  ),
];

describe("a hostile text", () => {
  it.each(READERS)(
    "does not keep busy the reader of %s",
    (_, read) => {
      const slow = PARTS.flatMap((part) => {
        // A text that is in front of the repeated part, so that a pattern that begins once reads all of it.
        return [part.repeat(LENGTH / part.length), `export function${part.repeat(20_000)}`, `a = [${part.repeat(20_000)}`].flatMap(
          (text) => {
            const start = performance.now();
            read(text.slice(0, LENGTH));
            const took = performance.now() - start;
            return took > 3000 ? [`${JSON.stringify(part)}: ${Math.round(took)} ms`] : [];
          },
        );
      });
      expect(slow).toEqual([]);
    },
    120_000,
  );
});
