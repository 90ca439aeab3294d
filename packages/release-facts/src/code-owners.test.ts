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
    ["*.js @d", "a/b/c.js", 1],
    ["*.js @d", "a/b/c.jsx", 0],
    ["/a/**/z.ts @d", "a/z.ts", 1],
    ["/a/**/z.ts @d", "a/b/c/z.ts", 1],
    ["/a/**/z.ts @d", "a/b/cz.ts", 0],
    ["/a/** @d", "a/b/c", 1],
    ["a*c*e @d", "x/abcde", 1],
    ["a*c*e @d", "x/ab/cde", 0],
    ["/src/?.ts @d", "src/a.ts", 1],
    ["/src/?.ts @d", "src/ab.ts", 0],
  ])("%s owns %s: %i", (rule, path, count) => {
    expect(ownersOf(rule, [path])).toHaveLength(count);
  });

  it("is not slow on a hostile pattern", () => {
    const start = performance.now();
    ownersOf(`${"*a".repeat(100)}b @x\n${"**a".repeat(90)}b @x\n`, ["a".repeat(4000)]);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it("is not slow on many hostile patterns and thousands of paths", () => {
    const paths = Array.from({ length: 4000 }, (_, n) => `src/area${n % 50}/file${n}.ts`);
    const start = performance.now();
    expect(ownersOf(`/src/ @x\n${`${"*".repeat(299)}a @x\n`.repeat(400)}`, paths.slice(0, 10))).toMatchObject([{ files: 10 }]);
    ownersOf(`${"*".repeat(299)}a @x\n`.repeat(400), paths);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});
