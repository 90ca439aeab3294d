import { describe, expect, it } from "vitest";
import { readReleaseFacts } from "../read-release-facts.ts";
import { scratchRepository } from "../testing/scratch-repository.ts";

describe("the fix of an advisory that is a merge", () => {
  it("is the commits to code that the merge brings, and not those of other branches", async () => {
    using repo = scratchRepository();
    repo.write("a.ts", "1\n");
    repo.commit("Begin");
    repo.git("tag", "v1.0.0");
    repo.git("checkout", "--quiet", "-b", "fix");
    repo.write("a.ts", "2\n");
    const fix = repo.commit("Check the size");
    repo.write("a.test.ts", "2\n");
    repo.commit("Test the size");
    repo.git("checkout", "--quiet", "main");
    repo.write("b.ts", "1\n");
    repo.commit("Another thing");
    repo.git("merge", "--quiet", "--no-ff", "--message", "Merge commit from fork", "fix");
    const merge = repo.git("rev-parse", "HEAD");
    repo.git("tag", "v1.0.1");
    const commitsOf = async (hash: string): Promise<readonly string[] | undefined> => {
      const advisories = [{ id: "A-1", references: [{ url: `https://example.org/a/a/commit/${hash}` }] }];
      const found = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.0.1", advisories, environment: process.env });
      return found.ok ? found.facts.advisories?.fixed.list[0]?.commits : undefined;
    };
    expect(await commitsOf(merge)).toEqual([fix.slice(0, 12)]);
    expect(await commitsOf(fix)).toEqual([fix.slice(0, 12)]);
  });
});
