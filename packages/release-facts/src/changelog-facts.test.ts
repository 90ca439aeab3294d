import { describe, expect, it } from "vitest";
import { readReleaseFacts } from "./read-release-facts.ts";
import { type ScratchRepository, scratchRepository } from "./testing/scratch-repository.ts";

function project(): ScratchRepository {
  const repo = scratchRepository();
  repo.write("CHANGES.md", "# Changes\n\n## 1.0.0\n\n- Begin\n");
  repo.write("src/a.ts", "one();\n");
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  return repo;
}

async function changelogOf(repo: ScratchRepository) {
  repo.git("tag", "v1.1.0");
  const outcome = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.1.0", environment: process.env });
  if (!outcome.ok) throw new Error(outcome.message);
  expect(JSON.stringify(outcome.facts)).not.toContain("secret words");
  return outcome.facts.changelog;
}

const page = (...entries: readonly string[]) =>
  `# Changes\n\n## 1.1.0\n\n${entries.map((entry) => `- ${entry}\n`).join("")}\n## 1.0.0\n\n- Begin\n`;

describe("the facts of a changelog", () => {
  it("name the commit that added an entry together with code, and keep no text of it", async () => {
    using repo = project();
    repo.write("CHANGES.md", page("Fix XSS in secret words"));
    repo.write("src/a.ts", "two();\n");
    const fix = repo.commit("Escape names");
    expect(await changelogOf(repo)).toEqual({
      omitted: 0,
      list: [{ file: "CHANGES.md", line: 5, says: ["security"], commits: [fix.slice(0, 12)] }],
    });
  });

  it("name the commit whose number the entry has, also if a later commit wrote the entry", async () => {
    using repo = project();
    repo.write("src/a.ts", "two();\n");
    const fix = repo.commit("Escape names (#12)");
    repo.write("CHANGES.md", page("Fix XSS in secret words (#12)", "Removed the option (#13)"));
    repo.commit("Release 1.1.0");
    expect((await changelogOf(repo))?.list).toEqual([
      { file: "CHANGES.md", line: 5, says: ["security"], commits: [fix.slice(0, 12)] },
      { file: "CHANGES.md", line: 6, says: ["removed"] },
    ]);
  });

  it("name the commit whose subject the entry repeats, also if a later commit wrote the entry", async () => {
    using repo = project();
    repo.write("src/a.ts", "two();\n");
    const fix = repo.commit("fix: Use `the address` of the sender");
    repo.write("src/a.ts", "three();\n");
    repo.commit("Fix XSS");
    repo.write("CHANGES.md", page("secret words: use the address of the sender (CVE-2026-1111)", "fix xss in secret words"));
    repo.commit("Release 1.1.0");
    const list = (await changelogOf(repo))?.list;
    expect(list).toMatchObject([{ line: 5, commits: [fix.slice(0, 12)] }, { line: 6 }]);
    // Two words may be in any entry.
    expect(list?.[1]).not.toHaveProperty("commits");
  });

  it("name identifiers of GitHub's Security Lab", async () => {
    using repo = project();
    repo.write("CHANGES.md", page("secret words (GHSL-2021-1014)"));
    repo.write("src/a.ts", "two();\n");
    repo.commit("Escape names");
    expect((await changelogOf(repo))?.list).toMatchObject([{ line: 5, says: ["security"], advisories: ["GHSL-2021-1014"] }]);
  });

  it("name what a merge with the number brought", async () => {
    using repo = project();
    repo.git("checkout", "--quiet", "-b", "topic");
    repo.write("src/a.ts", "two();\n");
    const fix = repo.commit("Escape names");
    repo.git("checkout", "--quiet", "main");
    repo.git("merge", "--quiet", "--no-ff", "--message", "Merge pull request #12 from topic", "topic");
    repo.write("CHANGES.md", page("Fix XSS in secret words (#12)"));
    repo.commit("docs: changes");
    expect((await changelogOf(repo))?.list).toMatchObject([{ says: ["security"], commits: [fix.slice(0, 12)] }]);
  });

  it.each(["chore(release): v1.1.0", "Update the details and bump version number."])(
    "are not about a commit that makes the release, such as %j",
    async (subject) => {
      using repo = project();
      repo.write("CHANGES.md", page("Fix XSS in secret words"));
      repo.write("src/a.ts", 'version = "1.1.0";\n');
      repo.commit(subject);
      expect((await changelogOf(repo))?.list).toEqual([{ file: "CHANGES.md", line: 5, says: ["security"] }]);
    },
  );

  it("do not exist if nothing special is said", async () => {
    using repo = project();
    repo.write("CHANGES.md", page("Make it faster"));
    repo.commit("Make it faster");
    expect(await changelogOf(repo)).toBeUndefined();
  });
});
