import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { gitIn, withoutAttributes } from "./git-command.ts";
import { findRange } from "./release-range.ts";
import { scratchFolder, scratchRepository } from "./testing/scratch-repository.ts";

const viewOf = (repository: string) => withoutAttributes({ repository, environment: process.env, signal: AbortSignal.timeout(20_000) });

describe("the ends of a release", () => {
  it("are found although git gives up at a question about the other end, or at one of two questions about the same end", async () => {
    using repo = scratchRepository();
    const first = repo.commit("Begin");
    repo.git("branch", "begin");
    const last = repo.commit("Go on");
    const git = gitIn(await viewOf(repo.path));
    expect(await findRange(git, "main", "main@{upstream}")).toMatchObject({ ok: false, message: expect.stringContaining("@{upstream}") });
    repo.git("branch", "--quiet", "--set-upstream-to=begin");
    expect(await findRange(git, "main@{upstream}", "main")).toMatchObject({ ok: true, range: { base: { id: first }, head: { id: last } } });
  });

  it("are tags first, and an end that is no tag may be a branch with the name of none", async () => {
    using repo = scratchRepository();
    const first = repo.commit("Begin");
    repo.git("tag", "one");
    const last = repo.commit("Go on");
    repo.git("branch", "one");
    expect(await findRange(gitIn(await viewOf(repo.path)), "one", "main")).toMatchObject({
      ok: true,
      range: { base: { id: first, isTag: true }, head: { id: last, isTag: false } },
    });
  });
});

describe("the view without attributes", () => {
  it.each(["sha1", "sha256"])("names the empty tree of a repository with ids of the format %s", async (format) => {
    using folder = scratchFolder();
    execFileSync("git", ["init", "--quiet", `--object-format=${format}`, folder.path]);
    const emptyTree = execFileSync("git", ["-C", folder.path, "hash-object", "-t", "tree", "--stdin"], {
      encoding: "utf8",
      input: "",
    }).trim();
    expect(await viewOf(folder.path)).toMatchObject({ emptyTree, isShallow: false });
  });
});
