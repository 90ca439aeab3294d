import { describe, expect, it } from "vitest";
import { compactFacts, LARGEST_FACTS } from "./compact-facts.ts";
import { type ScratchRepository, scratchRepository } from "./testing/scratch-repository.ts";

/** Makes a release with so many commits, each of which changes a file of its own. */
function release(commits: number): ScratchRepository {
  const repo = scratchRepository();
  repo.write("package.json", '{"name":"one","version":"1.0.0"}');
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  for (let at = 0; at < commits; at++) {
    repo.write(`src/part-${at % 40}/file-${at}.ts`, `export const value${at} = ${at};\n`.repeat(20));
    repo.commit(`Change part ${at} of the shop, so that it does what its users have wanted for years`);
  }
  repo.git("tag", "v1.1.0");
  return repo;
}

async function factsOf(repo: ScratchRepository) {
  const found = await compactFacts({ repo: repo.path, from: "v1.0.0", to: "v1.1.0", environment: process.env });
  if (!found.ok) throw new Error(found.message);
  return found;
}

describe("compact facts", () => {
  it("fit, and leave out files before they leave out commits", async () => {
    using repo = release(70);
    const { facts, text } = await factsOf(repo);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_FACTS);
    expect(facts.commits).toMatchObject({ total: 70, omitted: 0 });
    expect(facts.files.total).toBe(70);
    expect(facts.files.omitted).toBe(70 - facts.files.list.length);
    expect(facts.files.list.length).toBeLessThan(40);
    // What a commit changes is in its kinds and in the files.
    expect(
      facts.commits.list.every(
        ({ areas, touches, date }) => areas === undefined && touches?.[0] === "code" && /^\d{4}-\d\d-\d\d$/.test(date),
      ),
    ).toBe(true);
  }, 60_000);

  it("have everything if there is room", async () => {
    using repo = release(3);
    const { facts } = await factsOf(repo);
    expect([facts.commits.omitted, facts.files.omitted]).toEqual([0, 0]);
    expect(facts.commits.list[0]).toMatchObject({ areas: ["src/part-2"], date: expect.stringMatching(/T/) });
  });
});
