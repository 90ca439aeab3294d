import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type GitSummary, summariseGitRange } from "./git-summary.ts";
import type { RefusedSummary } from "./git-problem.ts";
import { scratchFolder, type ScratchRepository, scratchRepository } from "@toolbus/release-facts/testing";

/** Makes two releases: v1.0.0 with one commit, and v1.1.0 two commits later. */
function twoReleases(): ScratchRepository {
  const repo = scratchRepository();
  repo.write("packages/bus/src/queue.ts", "one\ntwo\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  repo.write("packages/bus/src/queue.ts", "one\n2\nthree\n");
  repo.commit("Grow the queue", "Grace Example");
  repo.write("README.md", "Read me\n");
  repo.commit("Say what it is");
  repo.git("tag", "--annotate", "v1.1.0", "--message", "Second");
  return repo;
}

async function summaryOf(repo: { path: string }, ends: { from?: string; to?: string } = {}): Promise<GitSummary> {
  const outcome = await summariseGitRange({ repository: repo.path, ...ends });
  if (!outcome.ok) throw new Error(`${outcome.problem}: ${outcome.message}`);
  return outcome.summary;
}

async function refusalOf(
  path: string,
  more: { from?: string; to?: string; environment?: Record<string, string> } = {},
): Promise<RefusedSummary> {
  const outcome = await summariseGitRange({ repository: path, ...more });
  if (outcome.ok) throw new Error(`A summary of ${outcome.summary.version} was not expected.`);
  // Both are one sentence for every problem.
  expect(outcome.message).toMatch(/^[^\n]+\.$/);
  expect(outcome.remedy).toMatch(/^[^\n]+$/);
  return outcome;
}

describe("git summary", () => {
  it("summarises HEAD since the tag before it", async () => {
    using repo = twoReleases();
    const summary = await summaryOf(repo);
    expect(summary).toMatchObject({
      version: "v1.1.0",
      from: { name: "v1.0.0", commit: repo.git("rev-parse", "v1.0.0"), committed_at: "2026-01-01T22:00:00.000Z" },
      to: {
        name: "v1.1.0",
        commit: repo.git("rev-parse", "HEAD"),
        committed_at: "2026-01-02T00:00:00.000Z",
        tagged_at: expect.stringMatching(/Z$/),
      },
      change_count: 2,
      changes: ["Say what it is", "Grow the queue"],
      changes_omitted: 0,
      files: { changed: 2, insertions: 3, deletions: 1, binary: 0, omitted: 0 },
      areas: [
        { area: "packages/bus", files: 1, lines: 3 },
        { area: ".", files: 1, lines: 1 },
      ],
      size: { commits: 2, files: 2, lines: 4 },
      notes: [],
    });
    expect(summary.from).not.toHaveProperty("tagged_at");
    expect(summary.files.top[0]).toEqual({ path: "packages/bus/src/queue.ts", insertions: 2, deletions: 1 });
  });

  it("names authors without their addresses", async () => {
    using repo = twoReleases();
    repo.write("more.txt", "more");
    repo.commit("More", "someone@example.org");
    const summary = await summaryOf(repo, { from: "v1.0.0" });
    expect(summary.authors).toHaveLength(3);
    expect(summary.authors).toEqual(
      expect.arrayContaining([
        { name: "Grace Example", commits: 1 },
        { name: "someone", commits: 1 },
      ]),
    );
    expect(JSON.stringify(summary)).not.toContain("example.org");
  });

  it("accepts tags, branches and commits as ends, and names an untagged end by its distance from the last tag", async () => {
    using repo = twoReleases();
    repo.commit("After the release");
    const summary = await summaryOf(repo, { from: repo.git("rev-parse", "v1.0.0"), to: "main" });
    expect(summary.version).toMatch(/^v1\.1\.0-1-g[0-9a-f]+$/);
    expect(summary.to.name).toBe("main");
    expect(summary.change_count).toBe(3);
  });

  it("counts from the first commit when there is no tag, and says so", async () => {
    using repo = scratchRepository();
    repo.write("src/only.ts", "a\nb\nc\n");
    repo.commit("Only");
    const summary = await summaryOf(repo);
    expect(summary).toMatchObject({ change_count: 1, changes: ["Only"], files: { changed: 1, insertions: 3 }, size: { lines: 3 } });
    expect(summary.from).toEqual({ name: "the beginning of the history" });
    expect(summary.notes).toEqual(["The repository has no tags: everything since the first commit counts."]);
  });

  it("counts from the first commit when the oldest tag is asked for", async () => {
    using repo = twoReleases();
    const summary = await summaryOf(repo, { to: "v1.0.0" });
    expect(summary).toMatchObject({ version: "v1.0.0", change_count: 1 });
    expect(summary.notes).toEqual(["There is no tag before v1.0.0: everything since the first commit counts."]);
  });

  it("reads renames, binary files and names with blanks, quotes, tabs and line ends", async () => {
    using repo = scratchRepository();
    const long = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n");
    repo.write("old/name.txt", long);
    repo.write("logo.bin", new Uint8Array([0, 1, 2]));
    repo.commit("Begin");
    repo.git("tag", "v1");
    repo.git("mv", "old/name.txt", 'old/na\tme "new"\n.txt');
    repo.write("logo.bin", new Uint8Array([0, 1, 2, 3]));
    repo.write("päckages/ünï/tést.ts", "x\n");
    repo.write("-rf", "y\n");
    repo.commit("Rename");
    const { files, areas } = await summaryOf(repo);
    expect(files).toMatchObject({ changed: 4, insertions: 2, deletions: 0, binary: 1 });
    expect(files.top).toEqual(
      expect.arrayContaining([
        { path: 'old/na\tme "new"\n.txt', renamed_from: "old/name.txt", insertions: 0, deletions: 0 },
        { path: "logo.bin", insertions: 0, deletions: 0, binary: true },
        { path: "päckages/ünï/tést.ts", insertions: 1, deletions: 0 },
      ]),
    );
    expect(areas.map(({ area }) => area)).toEqual([".", "päckages/ünï", "old"]);
  });

  it("bounds every list and says what it left out", async () => {
    using repo = scratchRepository();
    repo.commit("Begin");
    repo.git("tag", "v1");
    for (let i = 0; i < 40; i++) repo.write(`area-${i}/deep/file.txt`, `${i}\n`);
    repo.commit("x".repeat(1_000));
    const changes = Array.from({ length: 101 }, (_, i) => {
      const begin = i === 0 ? "from refs/heads/main^0\n" : "";
      return `commit refs/heads/main\ncommitter A <a@b> ${1_767_312_000 + i} +0000\ndata <<end\nChange ${i}\nend\n${begin}\n`;
    });
    execFileSync("git", ["fast-import", "--quiet"], { cwd: repo.path, input: changes.join("") });
    const summary = await summaryOf(repo);
    expect(summary).toMatchObject({ change_count: 102, changes_omitted: 2, files: { changed: 40, omitted: 10 } });
    expect(summary.changes).toHaveLength(100);
    expect(summary.changes[0]).toBe("Change 100");
    expect(summary.areas).toHaveLength(30);
    expect(summary.notes).toEqual(["Only the first 30 of 40 areas are listed."]);
  });

  it("keeps a commit without a subject in its place", async () => {
    using repo = twoReleases();
    repo.commit("");
    repo.commit("x".repeat(1_000));
    const { changes } = await summaryOf(repo, { from: "v1.1.0" });
    expect(changes).toEqual(["x".repeat(300), "(no subject)"]);
  });

  it("compares the files of two branches directly and says so", async () => {
    using repo = twoReleases();
    repo.git("checkout", "--quiet", "-b", "patch", "v1.0.0");
    repo.write("fix.txt", "fixed\n");
    repo.commit("Fix");
    repo.git("tag", "v1.0.1");
    const summary = await summaryOf(repo, { from: "v1.0.1", to: "v1.1.0" });
    expect(summary.files.top.map(({ path }) => path)).toContain("fix.txt");
    expect(summary.change_count).toBe(2);
    expect(summary.notes).toEqual([expect.stringContaining("v1.0.1 is not an ancestor of v1.1.0")]);
  });

  it("runs no program that the repository's settings name", async () => {
    using repo = twoReleases();
    const marker = join(repo.path, ".git", "was-run");
    repo.write(".git/program", `#!/bin/sh\ntouch '${marker}'\n`);
    chmodSync(join(repo.path, ".git", "program"), 0o755);
    const program = join(repo.path, ".git", "program");
    for (const name of ["gpg.program", "core.fsmonitor", "diff.external", "diff.all.textconv", "diff.all.command", "core.pager"])
      repo.git("config", name, program);
    repo.git("config", "log.showSignature", "true");
    repo.write(".git/info/attributes", "* diff=all\n");
    const signed = repo
      .git("cat-file", "commit", "HEAD")
      .replace(/^(committer .*)$/m, "$1\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----");
    repo.write(".git/signed", `${signed}\n`);
    repo.git("update-ref", "refs/heads/main", repo.git("hash-object", "-t", "commit", "-w", ".git/signed"));
    repo.git("log", "-1");
    expect(existsSync(marker), "git alone runs the program, so the settings are live").toBe(true);
    repo.git("update-ref", "--no-deref", "refs/heads/other", "HEAD");
    execFileSync("rm", [marker]);

    expect((await summaryOf(repo, { from: "v1.0.0" })).changes).toHaveLength(2);
    expect(existsSync(marker)).toBe(false);
  });

  it("ignores the repository that a calling hook points to", async () => {
    using repo = twoReleases();
    using other = scratchRepository();
    const environment = { PATH: String(process.env["PATH"]), HOME: repo.path, GIT_DIR: join(other.path, ".git") };
    expect(await summariseGitRange({ repository: repo.path, environment })).toMatchObject({ ok: true });
  });
});

describe("git summary refuses", () => {
  it("a folder that is not a repository, or does not exist", async () => {
    using folder = scratchFolder();
    expect((await refusalOf(folder.path)).problem).toBe("not_a_repository");
    expect((await refusalOf(join(folder.path, "nowhere"))).message).toContain("There is no folder");
  });

  it("a repository without commits", async () => {
    using repo = scratchRepository();
    expect((await refusalOf(repo.path)).problem).toBe("no_commits");
  });

  it("names that are not a commit, and names that look like options", async () => {
    using repo = twoReleases();
    for (const name of ["v9", "--output=stolen", "-h", "", "v1.0.0..v1.1.0", "v1.0.0\n", "x".repeat(300)]) {
      expect(await refusalOf(repo.path, { to: name })).toMatchObject({ problem: "unknown_ref" });
      expect(await refusalOf(repo.path, { from: name })).toMatchObject({ problem: "unknown_ref" });
    }
    expect(existsSync(join(repo.path, "stolen"))).toBe(false);
    expect((await refusalOf(repo.path, { to: "v9" })).remedy).toContain("git fetch --tags");
  });

  it("a range without commits", async () => {
    using repo = twoReleases();
    expect((await refusalOf(repo.path, { from: "v1.1.0", to: "v1.0.0" })).message).toBe("v1.0.0 is an ancestor of v1.1.0.");
  });

  it("a shallow clone, which would count too few", async () => {
    using repo = twoReleases();
    using folder = scratchFolder();
    execFileSync("git", ["clone", "--quiet", "--depth=1", `file://${repo.path}`, join(folder.path, "clone")]);
    expect(await refusalOf(join(folder.path, "clone"))).toMatchObject({
      problem: "shallow_clone",
      remedy: expect.stringContaining("--unshallow"),
    });
  });

  it("to start without git", async () => {
    using repo = twoReleases();
    expect((await refusalOf(repo.path, { environment: { PATH: repo.path } })).problem).toBe("git_not_installed");
  });

  it.runIf(process.getuid?.() === 0)("a repository of another user", async () => {
    using repo = twoReleases();
    for (const path of [repo.path, join(repo.path, ".git")]) chownSync(path, 12_345, 12_345);
    const refusal = await refusalOf(repo.path, { environment: { PATH: String(process.env["PATH"]), HOME: repo.path } });
    expect(refusal).toMatchObject({ problem: "dubious_ownership", remedy: expect.stringContaining("safe.directory") });
  });

  it("a history with missing parts, with git's own words", async () => {
    using repo = twoReleases();
    const tree = repo.git("rev-parse", "HEAD^{tree}");
    execFileSync("rm", ["-f", join(repo.path, ".git", "objects", tree.slice(0, 2), tree.slice(2))]);
    expect(await refusalOf(repo.path)).toMatchObject({ problem: "git_failed", message: expect.stringContaining(tree) });
  });

  it("to continue once its signal fires", async () => {
    using repo = twoReleases();
    const reason = new Error("shutdown");
    await expect(summariseGitRange({ repository: repo.path, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
