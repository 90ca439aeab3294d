import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readReleaseFacts } from "./read-release-facts.ts";
import { type ScratchRepository, scratchRepository } from "./testing/scratch-repository.ts";

const old = "one();\ntwo();\nthree();\n";
const brought = `${old}const a = 4;\nconst b = 5;\nconst c = 6;\n`;

/** Makes v1.0.0 and v1.0.1, which brought three lines at the end of a file. */
function project(): ScratchRepository {
  const repo = scratchRepository();
  repo.write("src/a.ts", old);
  repo.commit("Begin");
  repo.git("tag", "v1.0.0");
  repo.write("src/a.ts", brought);
  repo.commit("Add three lines");
  repo.git("tag", "v1.0.1");
  return repo;
}

// Each test adds a release, and compares it with v1.0.1. So one repository serves all of them.
let repo: ScratchRepository;
beforeAll(() => {
  repo = project();
}, 30_000);
afterAll(() => repo[Symbol.dispose]());

async function factsOf(text: string, tag: string) {
  repo.write("src/a.ts", text);
  repo.commit("Fix a line");
  repo.git("tag", tag);
  const outcome = await readReleaseFacts({ repo: repo.path, from: "v1.0.1", to: tag, environment: process.env });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.facts;
}

describe("fresh hunks", () => {
  it("change a line that the earlier release brought", async () => {
    const facts = await factsOf(brought.replace("b = 5", "b = 50"), "v1.0.2");
    expect(facts).toMatchObject({ freshSince: "v1.0.0", files: { list: [{ path: "src/a.ts", freshHunks: 1 }] } });
  });

  it("may only insert lines beside such a line", async () => {
    const facts = await factsOf(`${brought}const d = 7;\n`, "v1.0.3");
    expect(facts.files.list[0]).toMatchObject({ freshHunks: 1 });
  });

  it("are not those that change older lines", async () => {
    const facts = await factsOf(brought.replace("one();", "uno();"), "v1.0.4");
    expect(facts.freshSince).toBe("v1.0.0");
    expect(facts.files.list[0]).not.toHaveProperty("freshHunks");
  });

  it("are unknown for a step that is no patch, and for the first release", async () => {
    expect(await factsOf(brought.replace("b = 5", "b = 50"), "v1.1.0")).not.toHaveProperty("freshSince");
    const first = await readReleaseFacts({ repo: repo.path, from: "v1.0.0", to: "v1.0.1", environment: process.env });
    expect(first).toMatchObject({ ok: true });
    expect(first.ok && first.facts).not.toHaveProperty("freshSince");
  });
});
