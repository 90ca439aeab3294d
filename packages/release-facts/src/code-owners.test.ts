import { describe, expect, it } from "vitest";
import { ownersOf } from "./code-owners.ts";

const owners = (content: string, ...paths: string[]) =>
  ownersOf(content, paths).map(({ pattern, owners: who, files }) => `${pattern} ${who.join(" ")} ${files}`);

describe("code owners", () => {
  it("counts the last rule that matches", () => {
    expect(owners("* @all\n/lib/ @lib # why\n*.md @docs\n", "lib/a.js", "lib/b/c.js", "lib/a.md", "x/lib/d.js")).toEqual([
      "/lib/ @lib 2",
      "* @all 1",
      "*.md @docs 1",
    ]);
  });

  it.each([
    ["docs/* @d", "docs/a.md", 1],
    ["docs/* @d", "docs/a/b.md", 0],
    ["**/auth @d", "src/x/auth/a.ts", 1],
    ["apps/ @d", "one/apps/a.ts", 1],
    ["/apps/ @d", "one/apps/a.ts", 0],
    ["a.b @d", "axb", 0],
  ])("%s owns %s: %i", (rule, path, count) => {
    expect(ownersOf(rule, [path])).toHaveLength(count);
  });

  it("is not slow on a hostile pattern", () => {
    const start = performance.now();
    ownersOf(`${"*a".repeat(3)}b @x\n${"*a".repeat(60)}b @x\n`, ["a".repeat(300)]);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
