import { describe, expect, it } from "vitest";
import { LARGEST_PAGE, pageOfFacts } from "./facts-page.ts";
import { parseReleaseFacts, type ReleaseFacts } from "./release-facts.ts";

type Commit = ReleaseFacts["commits"]["list"][number];
type File = ReleaseFacts["files"]["list"][number];

const commit = (n: number, more: Partial<Commit> = {}): Commit => ({
  hash: String(n).padStart(12, "0"),
  date: "2026-01-02T00:00:00Z",
  subject: `Change ${n} ${"x".repeat(100)}`,
  parents: 1,
  touches: ["code"],
  areas: [`packages/p${n % 3}`],
  ...more,
});

const file = (path: string, more: Partial<File> = {}): File => ({ path, status: "M", added: 1, deleted: 1, kind: "code", ...more });

function factsOf(commits: Commit[] = [], files: File[] = [], more: Partial<ReleaseFacts> = {}): ReleaseFacts {
  const end = { ref: "v1.0.0", commit: "a".repeat(40), date: "2026-01-01T00:00:00Z", tag: true };
  return {
    format: 1,
    project: "shop",
    package: null,
    base: end,
    head: { ...end, ref: "v1.1.0", commit: "b".repeat(40) },
    baseIsAncestor: true,
    sameTagSeries: true,
    version: { from: "1.0.0", to: "1.1.0", step: "minor", mayBreak: false },
    commits: { total: commits.length + 7, omitted: 7, list: commits },
    files: { total: files.length, added: files.length, deleted: files.length, byKind: [], omitted: 0, list: files },
    exports: { removed: [], changed: [], added: [], omitted: 0 },
    dependencies: { omitted: 0, list: [] },
    requirements: [],
    owners: [],
    history: { commits: 0, fixes: 0 },
    notes: [],
    ...more,
  };
}

function factsOnPage(facts: ReleaseFacts, selection: Parameters<typeof pageOfFacts>[1] = {}): ReleaseFacts {
  const page = pageOfFacts(facts, selection);
  if (page.facts === null) throw new Error("The page does not exist.");
  expect(parseReleaseFacts(JSON.parse(JSON.stringify(page.facts)))).toMatchObject({ ok: true });
  return page.facts;
}

describe("a page of facts", () => {
  const many = factsOf(
    Array.from({ length: 300 }, (_, n) => commit(n, n === 299 ? { advisories: ["CVE-2026-1"] } : {})),
    Array.from({ length: 300 }, (_, n) => file(`packages/p${n % 3}/src/f${String(n).padStart(3, "0")}.ts`, { added: n })),
  );

  it("is small, has the most important items of each list, and raises the counts of omitted ones", () => {
    const facts = factsOnPage(many);
    expect(Buffer.byteLength(JSON.stringify(facts))).toBeLessThanOrEqual(LARGEST_PAGE);
    expect(Buffer.byteLength(JSON.stringify(facts))).toBeGreaterThan(LARGEST_PAGE / 2);
    expect(facts.commits.list.map(({ hash }) => hash)).toContain("000000000299");
    expect(facts.files.list.at(-1)?.path).toBe("packages/p2/src/f299.ts");
    expect(facts.commits).toMatchObject({ total: 307, omitted: 307 - facts.commits.list.length });
    expect(facts.files).toMatchObject({ total: 300, omitted: 300 - facts.files.list.length });
    expect(facts.notes).toEqual([expect.stringMatching(/^This is page 1 of \d+\. /)]);
  });

  it("and the others list each item once, in the order of the facts", () => {
    const { pages } = pageOfFacts(many, {});
    expect(pages).toBeGreaterThan(2);
    const all = Array.from({ length: pages }, (_, n) => factsOnPage(many, { page: n + 1 }));
    for (const one of all) expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThanOrEqual(LARGEST_PAGE);
    const paths = all.flatMap(({ files }) => files.list.map(({ path }) => path));
    expect(paths.toSorted()).toEqual(many.files.list.map(({ path }) => path).toSorted());
    expect(all.flatMap(({ commits }) => commits.list)).toHaveLength(300);
    for (const { commits } of all) expect(commits.list.map(({ hash }) => hash)).toEqual(commits.list.map(({ hash }) => hash).toSorted());
    expect(pageOfFacts(many, { page: pages + 1 })).toEqual({ pages, facts: null });
  });

  it("of small facts is the facts themselves", () => {
    const small = factsOf([commit(1)], [file("a.ts")]);
    expect(factsOnPage(small)).toEqual(small);
    expect(factsOnPage(factsOf())).toEqual(factsOf());
  });

  it("has few hunks of a file, and all of them if the file is asked for by its path", () => {
    const hunks = Array.from({ length: 20 }, (_, n) => ({ line: n, added: 1, deleted: 0, kind: "other" as const }));
    const facts = factsOf([], [file("src/a.ts", { hunks, hunksOmitted: 2 })]);
    expect(factsOnPage(facts).files.list[0]).toMatchObject({ hunks: hunks.slice(0, 6), hunksOmitted: 16 });
    expect(factsOnPage(facts, { path: "src/a.ts" }).files.list[0]).toMatchObject({ hunks, hunksOmitted: 2 });
  });

  it("stays a page if one rule of owners is enormous", () => {
    const owners = Array.from({ length: 50 }, (_, n) => ({
      pattern: `src/${n}/`,
      owners: Array.from({ length: 100 }, () => "o".repeat(160)),
      files: 1,
    }));
    expect(Buffer.byteLength(JSON.stringify(factsOnPage(factsOf([], [], { owners }))))).toBeLessThanOrEqual(LARGEST_PAGE);
  });
});

describe("a filter of facts", () => {
  const facts = factsOf(
    [commit(1, { areas: ["src/pay"] }), commit(2, { areas: ["docs"], touches: ["docs"] }), commit(3, { areas: ["."] })],
    [
      file("src/pay/card.ts"),
      file("src/payroll.ts"),
      file("README.md", { kind: "docs" }),
      file("lib/new.ts", { status: "R", from: "src/pay/old.ts" }),
    ],
    {
      exports: {
        removed: [{ file: "src/pay/card.ts", name: "charge" }],
        changed: [],
        added: [{ file: "lib/x.ts", name: "x" }],
        omitted: 0,
      },
      dependencies: {
        omitted: 0,
        list: [{ manifest: "src/pay/package.json", name: "qs", from: null, to: "1", step: "unknown", use: "runtime" }],
      },
    },
  );

  it("by area has the folder and what was moved out of it, and not a folder with a similar name", () => {
    const page = factsOnPage(facts, { area: "src/pay" });
    expect(page.files.list.map(({ path }) => path)).toEqual(["src/pay/card.ts", "lib/new.ts"]);
    expect(page.files).toMatchObject({ total: 4, omitted: 2 });
    expect(page.commits.list.map(({ hash }) => Number(hash))).toEqual([1]);
    expect(page.exports).toMatchObject({ removed: [{ name: "charge" }], added: [], omitted: 1 });
    expect(page.dependencies.list).toHaveLength(1);
    expect(page.notes).toEqual(["The lists have only what matches area src/pay. The totals are those of the whole release."]);
    expect(factsOnPage(facts, { area: "." }).files.list.map(({ path }) => path)).toEqual(["README.md"]);
  });

  it("by path takes a pattern, and by kind only files of this kind", () => {
    expect(factsOnPage(facts, { path: "src/**/*.ts" }).files.list.map(({ path }) => path)).toEqual([
      "src/pay/card.ts",
      "src/payroll.ts",
      "lib/new.ts",
    ]);
    const docs = factsOnPage(facts, { kind: "docs" });
    expect(docs.files.list.map(({ path }) => path)).toEqual(["README.md"]);
    expect(docs.commits.list.map(({ hash }) => Number(hash))).toEqual([2]);
    expect([docs.exports.removed, docs.dependencies.list]).toEqual([[], []]);
  });

  it("with many stars ends at once", () => {
    const long = factsOf([], [file("a".repeat(390))]);
    expect(factsOnPage(long, { path: `${"*a".repeat(150)}b` }).files.list).toEqual([]);
  });
});
