import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { type FactsOptions, readReleaseFacts } from "./read-release-facts.ts";
import { parseReleaseFacts, type ReleaseFacts } from "./release-facts.ts";
import { type ScratchRepository, scratchRepository } from "./testing/scratch-repository.ts";

type Ends = Partial<Omit<FactsOptions, "repo" | "environment">>;

async function outcomeOf(path: string, ends: Ends = {}) {
  return readReleaseFacts({ repo: path, project: "shop", from: "v1.0.0", to: "v1.1.0", environment: process.env, ...ends });
}

async function factsOf(repo: ScratchRepository, ends: Ends = {}): Promise<ReleaseFacts> {
  const outcome = await outcomeOf(repo.path, ends);
  if (!outcome.ok) throw new Error(outcome.message);
  expect(parseReleaseFacts(JSON.parse(JSON.stringify(outcome.facts)))).toMatchObject({ ok: true });
  return outcome.facts;
}

async function problemOf(path: string, ends: Ends = {}): Promise<string> {
  const outcome = await outcomeOf(path, ends);
  if (outcome.ok) throw new Error("Facts were not expected.");
  expect(outcome.message).toMatch(/^[^\n]+\.$/);
  expect(outcome.message).not.toContain("    at ");
  return outcome.problem;
}

/** Makes v1.0.0 with a small project. */
function project(): ScratchRepository {
  const repo = scratchRepository();
  repo.write("package.json", JSON.stringify({ name: "shop", version: "1.0.0", engines: { node: ">=18" }, dependencies: { qs: "^6.0.0" } }));
  repo.write("src/cart.ts", "export function add(item: string) {\n  return item;\n}\nexport const empty = [];\n");
  repo.write("src/old.ts", "export const moved = 1;\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  return repo;
}

describe("release facts", () => {
  it("compare advisories with the steps of dependencies and of Go, and ask only for what they can be about", async () => {
    using repo = scratchRepository();
    const manifest = (version: string) => `module example.org/shop\n\ngo 1.24.0\n\nrequire example.org/net ${version}\n`;
    for (const [tag, net, go] of [
      ["v1.0.0", "v0.1.0", "1.25.5"],
      ["v1.1.0", "v0.2.0", "1.25.6"],
    ] as const) {
      repo.write("go.mod", manifest(net));
      repo.write(".go-version", `${go}\n`);
      repo.commit(`Release ${tag}`);
      repo.git("tag", tag);
    }
    const fixedIn = (id: string, name: string, fixed: string) => ({
      id,
      affected: [{ package: { ecosystem: "Go", name }, ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed }] }] }],
    });
    const asked: string[] = [];
    const { advisories } = await factsOf(repo, {
      advisories: async ({ names, commits }) => {
        asked.push(...new Set(names.map(({ name }) => name)));
        expect(commits).toHaveLength(1);
        return [fixedIn("GO-1", "example.org/net", "0.2.0"), fixedIn("GO-2", "stdlib", "1.25.6")];
      },
    });
    expect(asked).toEqual(["example.org/shop", "stdlib", "toolchain", "example.org/net"]);
    expect(advisories?.dependencies?.list.map(({ manifest: file, name, from, to }) => [file, name, from, to])).toEqual([
      ["go.mod", "example.org/net", "0.1.0", "0.2.0"],
      [".go-version", "stdlib", "1.25.5", "1.25.6"],
    ]);
  });

  it("say what a release changed", async () => {
    using repo = project();
    repo.write(
      "package.json",
      JSON.stringify({ name: "shop", version: "1.1.0", engines: { node: ">=20" }, dependencies: { qs: "^7.0.0" } }),
    );
    repo.write("src/cart.ts", "export function add(item: string, count: number) {\n  return validate(item);\n}\n");
    repo.remove("src/old.ts");
    repo.write("src/new.ts", "export const moved = 1;\nexport const fresh = 2;\n");
    repo.write("CODEOWNERS", "src/ @shop/team\n");
    const head = repo.commit("feat(cart)!: count items\n\nFixes #7. See CVE-2024-12345.");
    repo.git("tag", "v1.1.0");
    const facts = await factsOf(repo);
    expect(facts).toMatchObject({
      project: "shop",
      package: null,
      base: { ref: "v1.0.0", tag: true },
      head: { ref: "v1.1.0", commit: head, date: "2026-01-01T23:00:00Z", tag: true },
      baseIsAncestor: true,
      sameTagSeries: true,
      version: { from: "1.0.0", to: "1.1.0", step: "minor", mayBreak: false },
      requirements: [{ manifest: "package.json", name: "node", from: ">=18", to: ">=20" }],
      owners: [{ pattern: "src/", owners: ["@shop/team"], files: 2 }],
    });
    expect(facts.commits).toEqual({
      total: 1,
      omitted: 0,
      list: [
        {
          hash: head.slice(0, 12),
          date: "2026-01-01T23:00:00Z",
          subject: "feat(cart)!: count items",
          parents: 1,
          type: "feat",
          breaking: true,
          fixes: ["#7"],
          advisories: ["CVE-2024-12345"],
          security: ["vulnerability"],
          repairs: ["vulnerability"],
          touches: ["code", "manifest", "docs"],
          areas: ["src", "."],
          codeLines: 8,
        },
      ],
    });
    expect(facts.exports).toEqual({
      removed: [{ file: "src/cart.ts", name: "empty" }],
      changed: [{ file: "src/cart.ts", name: "add" }],
      added: [{ file: "src/new.ts", name: "fresh" }],
      omitted: 0,
    });
    expect(facts.dependencies.list).toEqual([
      { manifest: "package.json", name: "qs", from: "^6.0.0", to: "^7.0.0", step: "major", use: "runtime" },
    ]);
    expect(facts.files.list.find(({ path }) => path === "src/cart.ts")).toMatchObject({
      status: "M",
      kind: "code",
      hunks: [
        { line: 1, added: 2, deleted: 2, kind: "validation" },
        { line: 4, added: 0, deleted: 1, kind: "other" },
      ],
    });
  });

  it("hold no line of the source and are the same each time", async () => {
    using repo = project();
    repo.write("src/cart.ts", "export const secretText = 'a line of the source';\n");
    repo.commit("Change");
    repo.git("tag", "v1.1.0");
    const once = JSON.stringify(await factsOf(repo));
    expect(once).not.toContain("a line of the source");
    repo.git("config", "diff.noprefix", "true");
    repo.git("config", "diff.algorithm", "patience");
    repo.git("config", "diff.orderFile", "nowhere");
    repo.git("config", "diff.external", "false");
    repo.git("config", "diff.renames", "copies");
    expect(JSON.stringify(await factsOf(repo))).toBe(once);
  });

  it("are those of one package in a monorepo", async () => {
    using repo = scratchRepository();
    for (const name of ["a", "b"]) repo.write(`packages/${name}/package.json`, `{"name":"@shop/${name}"}`);
    repo.commit("Begin");
    repo.git("tag", "@shop/a@1.0.0");
    repo.write("packages/b/src/b.ts", "export const b = 1;\n");
    repo.commit("Change b");
    repo.write("packages/a/src/a.ts", "export const a = 1;\n");
    repo.commit("Change a");
    repo.git("tag", "@shop/a@1.0.1");
    const facts = await factsOf(repo, { from: "@shop/a@1.0.0", to: "@shop/a@1.0.1" });
    expect(facts.package).toEqual({ name: "@shop/a", directory: "packages/a" });
    expect(facts.commits.list.map(({ subject }) => subject)).toEqual(["Change a"]);
    expect(facts.files).toMatchObject({ total: 1, outside: 1 });
    expect(facts.sameTagSeries).toBe(true);
    const untagged = await factsOf(repo, { from: "@shop/a@1.0.0", to: "HEAD", package: "packages/b" });
    expect(untagged.commits.total).toBe(1);
    expect(untagged.head.ref).toBe(untagged.head.commit.slice(0, 12));
    expect(await problemOf(repo.path, { from: "@shop/a@1.0.0", to: "HEAD", package: "nothing" })).toBe("unknown_package");
  });

  it("join what moved to another manifest", async () => {
    using repo = scratchRepository();
    repo.write("setup.cfg", "[options]\npython_requires = >=3.7\ninstall_requires =\n    a>=1\n    b>=1\n");
    repo.commit("Begin");
    repo.git("tag", "v1.0.0");
    repo.remove("setup.cfg");
    repo.write("pyproject.toml", '[project]\nrequires-python = ">=3.8"\ndependencies = ["a>=1", "b>=2"]\n');
    repo.commit("Move");
    repo.git("tag", "v1.1.0");
    const facts = await factsOf(repo);
    expect(facts.requirements).toEqual([{ manifest: "pyproject.toml", name: "python", from: ">=3.7", to: ">=3.8" }]);
    expect(facts.dependencies.list).toEqual([
      { manifest: "pyproject.toml", name: "b", from: ">=1", to: ">=2", step: "major", use: "runtime" },
    ]);
  });

  it("name reverts, private merges and earlier fixes", async () => {
    using repo = project();
    repo.write("src/cart.ts", "export const a = 1;\n");
    repo.commit("fix: a crash");
    repo.git("tag", "--force", "v1.0.0");
    repo.write("src/cart.ts", "export const a = 2;\n");
    const bad = repo.commit("Speed up");
    repo.write("src/cart.ts", "export const a = 1;\nexport const b = 3;\n");
    repo.commit(`Revert "Speed up"\n\nThis reverts commit ${bad}.`);
    repo.git("checkout", "--quiet", "-b", "advisory-fix-1");
    repo.write("src/cart.ts", "export const a = 1;\nexport const b = 4;\n");
    repo.commit("Check more");
    repo.git("checkout", "--quiet", "main");
    repo.git("merge", "--quiet", "--no-ff", "advisory-fix-1", "--message", "Merge branch 'advisory-fix-1'");
    repo.git("tag", "v1.1.0");
    const facts = await factsOf(repo);
    expect(facts.commits.list).toContainEqual(
      expect.objectContaining({ subject: 'Revert "Speed up"', reverts: bad.slice(0, 12), revertsInRelease: true }),
    );
    expect(facts.commits.list).toContainEqual(expect.objectContaining({ parents: 2, privateMerge: true }));
    expect(facts.files.list).toContainEqual(expect.objectContaining({ path: "src/cart.ts", earlierFixes: 1 }));
    expect(facts.history).toEqual({ commits: 2, fixes: 1 });
  });
});

describe("release facts of hostile input", () => {
  it("refuse refs that look like options, unknown refs and equal refs", async () => {
    using repo = project();
    for (const from of ["--output=/tmp/x", "-", "", "a\0b", "v9", "a\nb", "x".repeat(300), "v1.0.0:package.json"]) {
      expect(await problemOf(repo.path, { from, to: "HEAD" })).toBe("unknown_ref");
    }
    expect(await problemOf(repo.path, { to: "HEAD" })).toBe("empty_range");
  });

  it("refuse a folder that is not a repository, an empty one and a shallow clone", async () => {
    using empty = scratchRepository();
    expect(await problemOf(empty.path)).toBe("no_commits");
    expect(await problemOf(`${empty.path}/nowhere`)).toBe("not_a_repository");
    using repo = project();
    repo.commit("Later");
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${repo.path}`, `${empty.path}/shallow`]);
    expect(await problemOf(`${empty.path}/shallow`)).toBe("shallow_clone");
    expect(await problemOf(repo.path, { environment: { PATH: "/nowhere" } } as Ends)).toBe("git_not_installed");
  });

  it("cope with strange paths, binary files and messages", async () => {
    using repo = project();
    repo.write("src/a b\n\u202e ü😀.ts", "export const odd = 1;\n");
    repo.write("src/data.ts", new Uint8Array([0, 1, 2, 255]));
    repo.write(":(top)src", "x\n");
    repo.commit("\u001b[31mred\u0007\u202e subject");
    repo.commit("");
    repo.git("tag", "v1.1.0");
    const facts = await factsOf(repo);
    expect(JSON.stringify(facts)).not.toMatch(/\\u001b|\\n|\u202e/);
    expect(facts.files.total).toBe(3);
    expect(facts.files.list).toContainEqual(expect.objectContaining({ path: "src/data.ts", binary: true }));
    expect(facts.exports.added).toContainEqual({ file: "src/a b  ü😀.ts", name: "odd" });
    expect(facts.commits.list.map(({ subject }) => subject)).toEqual(["(no subject)", "[31mred  subject"]);
  });

  it("do not believe the attributes of the repository, and are the same in a bare clone", async () => {
    using repo = project();
    repo.write(".gitattributes", "*.ts -diff\n");
    repo.write("src/cart.ts", "export const a = 1;\n");
    repo.commit("Hide");
    repo.git("tag", "v1.1.0");
    const facts = await factsOf(repo);
    expect(facts.files.list).toContainEqual(expect.objectContaining({ path: "src/cart.ts", added: 1, deleted: 4 }));
    using folder = scratchRepository();
    execFileSync("git", ["clone", "--quiet", "--bare", `file://${repo.path}`, `${folder.path}/bare`]);
    const bare = await outcomeOf(`${folder.path}/bare`);
    expect(bare).toEqual({ ok: true, facts });
  });

  it("bound an enormous release", async () => {
    using repo = project();
    repo.write("src/huge.ts", "export const a = 1;\n".repeat(50_000));
    for (let at = 0; at < 400; at++) repo.write(`src/f${at}.ts`, `export const n${at} = ${at};\n`);
    repo.commit("Add much");
    repo.git("tag", "v1.1.0");
    const facts = await factsOf(repo, { limits: { files: 1000, names: 50 } });
    expect(facts.files).toMatchObject({ total: 401, omitted: 101, added: 50_400 });
    expect(facts.exports.added).toHaveLength(50);
    expect(facts.exports.omitted).toBe(350);
    expect(facts.files.list.find(({ path }) => path === "src/huge.ts")).not.toHaveProperty("hunks");
  });

  it("keep the commits that say something special if there are too many", async () => {
    using repo = project();
    for (let at = 0; at < 5; at++) {
      repo.commit(at === 1 ? "Fix CVE-2025-11111" : `Change ${at}`);
    }
    repo.git("tag", "v1.1.0");
    const { commits } = await factsOf(repo, { limits: { commits: 2 } });
    expect(commits).toMatchObject({ total: 5, omitted: 3 });
    expect(commits.list.map(({ subject }) => subject)).toEqual(["Change 4", "Fix CVE-2025-11111"]);
  });

  it("compare two branches if the base is not an ancestor", async () => {
    using repo = project();
    repo.git("checkout", "--quiet", "-b", "side");
    repo.write("src/cart.ts", "export const side = 1;\n");
    repo.commit("Side");
    repo.git("checkout", "--quiet", "main");
    repo.commit("Main");
    const facts = await factsOf(repo, { from: "side", to: "main" });
    expect(facts).toMatchObject({ baseIsAncestor: false, version: { from: "1.0.0", to: "1.0.0", step: "none" }, commits: { total: 1 } });
    expect(facts.notes).toHaveLength(1);
  });

  it("are none if the two ends are swapped, and the reason asks so", async () => {
    using repo = project();
    repo.commit("Go on");
    repo.git("tag", "v1.1.0");
    expect(await outcomeOf(repo.path, { from: "v1.1.0", to: "v1.0.0" })).toMatchObject({
      ok: false,
      problem: "swapped_ends",
      message: "v1.0.0 is an ancestor of v1.1.0: are --from and --to swapped?",
    });
  });

  it("stop when the caller stops them", async () => {
    using repo = project();
    const reason = new Error("enough");
    await expect(outcomeOf(repo.path, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
