import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandsUnderTest } from "../testing/commands-under-test.ts";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const PAGES = globSync(["*.md", "docs/*.md", "docs/walks/*.md", "{examples,packages,services,apps}/*/README.md"], { cwd: ROOT }).filter(
  // The requirements also name commands that do not exist yet.
  (page) => page !== "docs/requirements.md",
);

const NAMES = commandsUnderTest().map(([name]) => name);
const GROUPS = new Set(NAMES.map((name) => name.slice(0, name.lastIndexOf(" "))));

/** Returns the commands that a text names in backticks and that do not exist. */
function unknownIn(text: string): readonly string[] {
  const named = [...text.matchAll(/`(?:\.\/)?toolbus((?:\s[a-z][a-z-]*(?![\w]))+)/g)].map(
    ([, words = ""]) => `toolbus${words.replaceAll(/\s+/g, " ")}`,
  );
  return named.filter((words) => {
    const [exact] = NAMES.filter((name) => words === name || words.startsWith(`${name} `));
    return exact === undefined && !GROUPS.has(words);
  });
}

describe("the pages", () => {
  it.each(PAGES)("name only commands that exist: %s", (page) => {
    expect(unknownIn(readFileSync(path.join(ROOT, page), "utf8"))).toEqual([]);
  });

  it("would be found with a command that does not exist", () => {
    expect(unknownIn("`toolbus runs list`, `./toolbus runs\nexplain rn_1`, `toolbus chat hello`, the `toolbus runs` commands")).toEqual([
      "toolbus runs explain",
    ]);
  });
});
