import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRelease } from "./load-release.ts";
import { recordedRelease } from "./recorded-release.ts";
import { scratchFolder, scratchRepository } from "@toolbus/release-facts/testing";

function setup() {
  const repo = scratchRepository();
  repo.write("src/a.ts", "a\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  const folder = scratchFolder();
  const file = (name: string, content: string) => {
    const path = join(folder.path, name);
    writeFileSync(path, content);
    return path;
  };
  const close = () => [repo, folder].forEach((one) => one[Symbol.dispose]());
  return { repo, folder, file, [Symbol.dispose]: close };
}

describe("loading a release", () => {
  it("joins history, test results and metrics under the version", async () => {
    using world = setup();
    const loaded = await loadRelease({
      repo: world.repo.path,
      junit: world.file("junit.xml", '<testsuite name="s"><testcase name="t"/></testsuite>'),
      metrics: world.file("metrics.json", '{"error_rate":0.02,"response_time_p95":450}'),
    });
    expect(loaded).toMatchObject({
      ok: true,
      release: {
        release_id: "v1.0.0",
        version: "v1.0.0",
        source: "git",
        changes: ["Begin"],
        tests: { passed: 1, failed: 0, skipped: 0, failures: [] },
        deployment_metrics: { error_rate: 0.02, response_time_p95: 450 },
      },
      notes: [expect.stringContaining("no tag before")],
    });
  });

  it("leaves out what nobody measured", async () => {
    using world = setup();
    const loaded = await loadRelease({ repo: world.repo.path });
    if (!loaded.ok) throw new Error(loaded.message);
    expect(loaded.release).not.toHaveProperty("tests");
    expect(loaded.release).not.toHaveProperty("deployment_metrics");
  });

  it("refuses a broken file instead of leaving its part out", async () => {
    using world = setup();
    const broken = world.file("broken", "?");
    expect(await loadRelease({ repo: world.repo.path, junit: broken })).toEqual({
      ok: false,
      message: `${broken} is not well-formed XML.`,
    });
    expect(await loadRelease({ repo: world.repo.path, metrics: broken })).toEqual({ ok: false, message: `${broken} is not JSON.` });
  });

  it("serves the recorded release only when asked, and says so", async () => {
    using world = setup();
    expect(await loadRelease({ repo: world.folder.path })).toMatchObject({
      ok: false,
      message: expect.stringContaining("is not a git repository."),
    });
    const loaded = await loadRelease({ repo: world.folder.path, allowRecorded: true });
    expect(loaded).toMatchObject({ ok: true, release: { source: "recorded" } });
    expect(loaded.ok && loaded.notes[0]).toContain("is served instead");
  });

  it("does not mistake the repository around a copy without history for its own", async () => {
    using world = setup();
    world.repo.write("vendored/readme.md", "a copy of something else\n");
    const loaded = await loadRelease({ repo: join(world.repo.path, "vendored"), allowRecorded: true });
    expect(loaded).toMatchObject({
      ok: true,
      release: { source: "recorded" },
      notes: expect.arrayContaining([expect.stringContaining("no git history of its own")]),
    });
  });

  it("never answers a wrong tag, or files of another release, with the recorded one", async () => {
    using world = setup();
    expect(await loadRelease({ repo: world.repo.path, to: "v9", allowRecorded: true })).toMatchObject({ ok: false });
    expect(await loadRelease({ repo: world.folder.path, to: "v1", allowRecorded: true })).toMatchObject({ ok: false });
    expect(await loadRelease({ repo: world.folder.path, junit: "any.xml", allowRecorded: true })).toMatchObject({ ok: false });
  });

  it("begins a long history without tags at its last commits, so that its changes can be read, if any release will do", async () => {
    using repo = scratchRepository();
    const commits = Array.from({ length: 301 }, (_, n) => `commit refs/heads/long\ncommitter A <a@b> ${n} +0000\ndata 2\nc\n\n`);
    execFileSync("git", ["fast-import", "--quiet"], { cwd: repo.path, input: commits.join("") });
    repo.git("checkout", "--quiet", "long");
    const first = await loadRelease({ repo: repo.path, allowRecorded: true });
    expect(first).toMatchObject({
      ok: true,
      release: { source: "git", from: { name: "HEAD~20" }, change_count: 20 },
      notes: [expect.stringMatching(/^No tag is before HEAD, so the release begins at HEAD~20\. For another beginning, tag a commit, /)],
    });
    const changes = first.ok && (await first.evidence.changes.within(new AbortController().signal));
    expect(changes).toMatchObject({ ok: true, facts: { commits: { total: 20 } } });
    // Whoever names the repository decides where the release begins.
    expect(await loadRelease({ repo: repo.path })).toMatchObject({ ok: true, release: { change_count: 301 } });
  });

  it("keeps a record with the very fields of a fresh summary", async () => {
    using world = setup();
    const fresh = await loadRelease({ repo: world.repo.path });
    if (!fresh.ok) throw new Error(fresh.message);
    const recorded = await recordedRelease();
    expect(Object.keys(recorded)).toEqual(Object.keys(fresh.release));
    expect(Object.keys(recorded.files)).toEqual(Object.keys(fresh.release.files));
    expect(recorded.change_count).toBeGreaterThan(0);
    expect(recorded.to.commit).toMatch(/^[0-9a-f]{40,64}$/);
  });
});
