import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { compactFacts, LARGEST_FACTS } from "./compact-facts.ts";
import { type ScratchRepository, scratchRepository } from "./testing/scratch-repository.ts";

/** Makes a release with so many commits, each of which changes a file of its own. One command of git writes all of them. */
function release(commits: number): ScratchRepository {
  const repo = scratchRepository();
  repo.write("package.json", '{"name":"one","version":"1.0.0"}');
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  const history = Array.from({ length: commits }, (_, at) => {
    const subject = `Change part ${at} of the shop, so that it does what its users have wanted for years`;
    const content = `export const value${at} = ${at};\n`.repeat(20);
    const begin = at === 0 ? "from refs/heads/main^0\n" : "";
    return `commit refs/heads/main
committer Ada Example <ada@example.org> ${1_767_312_000 + at * 3600} +0200
data ${subject.length}
${subject}
${begin}M 100644 inline src/part-${at % 40}/file-${at}.ts
data ${content.length}
${content}
`;
  });
  execFileSync("git", ["fast-import", "--quiet"], { cwd: repo.path, input: history.join("") });
  repo.git("tag", "v1.1.0");
  return repo;
}

async function factsOf(repo: ScratchRepository, most?: number) {
  const room = most === undefined ? {} : { most };
  const found = await compactFacts({ repo: repo.path, from: "v1.0.0", to: "v1.1.0", environment: process.env, ...room });
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

  it("leave room for what else belongs to the request", async () => {
    using repo = release(70);
    const [{ facts: all }, { facts, text }] = await Promise.all([factsOf(repo), factsOf(repo, LARGEST_FACTS - 4096)]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LARGEST_FACTS - 4096);
    expect(facts.commits.total).toBe(70);
    expect(facts.files.list.length).toBeLessThan(all.files.list.length);
  }, 60_000);

  it("have everything if there is room", async () => {
    using repo = release(3);
    const { facts } = await factsOf(repo);
    expect([facts.commits.omitted, facts.files.omitted]).toEqual([0, 0]);
    expect(facts.commits.list[0]).toMatchObject({ areas: ["src/part-2"], date: expect.stringMatching(/T/) });
  });
});
