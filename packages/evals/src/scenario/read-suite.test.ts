import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSuite } from "./read-suite.ts";

let folder = "";
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), "toolbus-suite-"))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const KNOWN = new Set(["look", "file"]);
const SCENARIO = "id: first\ninput: { message: Hello }\nexpect: { end: completed }\n";
/** A suite with each kind of file that counts for a hash, except for a policy. */
const HASHED = {
  "suite.yaml": "suite: shop\nprofiles: ./profiles\ntools: ./tools.yaml\n",
  "scenarios/a.yaml": `${SCENARIO}fixtures: { look: [{ file: ../data.json }] }\n`,
  "data.json": "1",
  "tools.yaml": "- name: mine\n  description: does it\n",
  "profiles/p.yaml": "name: p\n",
};

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

async function suiteOf(files: Readonly<Record<string, string>>) {
  await write({ "suite.yaml": "suite: shop\n", ...files });
  const read = await readSuite(folder, KNOWN);
  if (!read.ok) throw new Error(read.problem);
  return read.value;
}

async function problemOf(files: Readonly<Record<string, string>>): Promise<string> {
  await write({ "suite.yaml": "suite: shop\n", ...files });
  const read = await readSuite(folder, KNOWN);
  return read.ok ? "" : read.problem.replaceAll(folder, "SUITE");
}

describe("a suite", () => {
  it("in a folder has the scenarios of its files, one or a list in each, and the defaults of the suite", async () => {
    const suite = await suiteOf({
      "suite.yaml": "suite: shop\nprofile: desk\nrepeats: 2\ntimeoutSeconds: 5\nfixtures: { look: [{ result: 1 }] }\n",
      "scenarios/a.yaml": `${SCENARIO}fixtures: { look: [{ when: { id: 1 }, result: 2, times: 1 }] }\n`,
      "scenarios/b.yaml": "- id: second\n  input: { release: shop-1 }\n  profile: other\n  expect: { severity: high }\n",
    });
    expect(suite).toMatchObject({ name: "shop", repeats: 2 });
    expect(suite.scenarios).toMatchObject([
      {
        id: "first",
        profile: "desk",
        timeoutMs: 5000,
        fixtures: {
          look: [
            { when: { id: 1 }, times: 1, answer: { kind: "result", result: 2 } },
            { when: null, answer: { kind: "result", result: 1 } },
          ],
        },
      },
      { id: "second", profile: "other", input: { kind: "release", release: "shop-1" }, expect: { severity: ["high"] } },
    ]);
  });

  it("may be one file, and a fixture may name a file with its result", async () => {
    await write({
      "one.yaml": `suite: one\nscenarios:\n  - id: a\n    input: { messages: [x, y] }\n    rubric: [{ name: kind, question: Is it kind? }]\n    fixtures: { look: [{ file: ./data.json }] }\n`,
      "data.json": '{"n":1}',
    });
    const read = await readSuite(path.join(folder, "one.yaml"), KNOWN);
    expect(read).toMatchObject({ ok: true, value: { scenarios: [{ fixtures: { look: [{ answer: { result: { n: 1 } } }] } }] } });
  });

  it("names its policy file, whose text is part of the hash", async () => {
    const files = {
      "suite.yaml": "suite: shop\npolicy: rules/policy.yaml\n",
      "rules/policy.yaml": "version: 1\n",
      "scenarios/a.yaml": SCENARIO,
    };
    const { policyFile, hash } = await suiteOf(files);
    expect(policyFile).toBe(path.join(folder, "rules/policy.yaml"));
    expect((await suiteOf({ ...files, "rules/policy.yaml": "version: 1\nhitlMode: required\n" })).hash).not.toBe(hash);
    expect(await suiteOf({ ...files, "suite.yaml": "suite: shop\n" })).toMatchObject({ policyFile: null });
    expect(await problemOf({ ...files, "suite.yaml": "suite: shop\npolicy: none.yaml\n" })).toMatch(/^SUITE\/none\.yaml cannot be read/);
  });

  it("has another hash if a scenario, a fixture's file, a tool or a profile changes, and the same hash otherwise", async () => {
    const { hash } = await suiteOf(HASHED);
    expect((await suiteOf({})).hash).not.toBe(hash);
    expect((await suiteOf(HASHED)).hash).toBe(hash);
    for (const [name, text] of [
      ["scenarios/a.yaml", `${HASHED["scenarios/a.yaml"]}tags: [x]\n`],
      ["data.json", "2"],
      ["tools.yaml", "- name: mine\n  description: does that\n"],
      ["profiles/p.yaml", "name: q\n"],
    ] as const)
      expect({ name, hash: (await suiteOf({ ...HASHED, [name]: text })).hash }).not.toEqual({ name, hash });
  });

  it.each([
    ["a tool", "tools.yaml", "- name: mine\n  description: does that\n"],
    ["a profile", "profiles/p.yaml", "name: p # x\n"],
    ["the policy", "policy.yaml", "version: 1\nhitlMode: required\n"],
  ])("evaluates another agent with the same scenarios if %s changes", async (_what, name, text) => {
    const files = { ...HASHED, "suite.yaml": `${HASHED["suite.yaml"]}policy: policy.yaml\n`, "policy.yaml": "version: 1\n" };
    const { agentHash, scenarioHashes } = await suiteOf(files);
    const changed = await suiteOf({ ...files, [name]: text });
    expect(changed.scenarioHashes).toEqual(scenarioHashes);
    expect(changed.agentHash).not.toBe(agentHash);
  });

  it("evaluates the same agent with another scenario if a fixture's file changes", async () => {
    const { agentHash, scenarioHashes } = await suiteOf(HASHED);
    const changed = await suiteOf({ ...HASHED, "data.json": "2" });
    expect(changed.scenarioHashes).not.toEqual(scenarioHashes);
    expect(changed.agentHash).toBe(agentHash);
  });
});

describe("a suite that cannot be used", () => {
  it.each([
    ["no scenarios", {}, 'The suite shop has no scenarios: add a file to SUITE/scenarios, or a list "scenarios" to SUITE/suite.yaml.'],
    [
      "an unknown field",
      { "scenarios/a.yaml": `${SCENARIO}colour: red\n` },
      "SUITE/scenarios/a.yaml cannot be used: line 4: colour is not a known field.",
    ],
    ["no YAML", { "scenarios/a.yaml": "id: [" }, "SUITE/scenarios/a.yaml cannot be used: line 1: this is not YAML"],
    ["a twin", { "scenarios/a.yaml": SCENARIO, "scenarios/b.yaml": SCENARIO }, "Two scenarios have the id first: rename one of them."],
    [
      "an unknown tool",
      { "scenarios/a.yaml": `${SCENARIO}fixtures: { lookk: [{ result: 1 }] }\n` },
      'The scenario first names 1 unknown tool (lookk): correct the name, or add the definition to the file "tools" of the suite.',
    ],
    [
      "no expectation",
      { "scenarios/a.yaml": "id: a\ninput: { message: x }\n" },
      "this scenario expects nothing: give it expect, or a rubric",
    ],
    [
      "a status that no call can have",
      { "scenarios/a.yaml": "id: a\ninput: { message: x }\nexpect:\n  tools: { called: [{ tool: look, status: rejected }] }\n" },
      'line 4: expect.tools.called.0.status must be one of "ok", "validation_error", "timeout", "denied", ',
    ],
    [
      "two inputs",
      { "scenarios/a.yaml": "id: a\ninput: { message: x, release: y }\nexpect: { end: completed }\n" },
      "line 2: input needs one of release with changes or without, alert, message and messages",
    ],
    [
      "a fixture without an answer",
      { "scenarios/a.yaml": `${SCENARIO}fixtures: { look: [{ times: 1 }] }\n` },
      "fixtures.look.0 needs one answer: result, file or error",
    ],
    [
      "a missing file",
      { "scenarios/a.yaml": `${SCENARIO}fixtures: { look: [{ file: gone.json }] }\n` },
      "SUITE/scenarios/gone.json cannot be read (ENOENT)",
    ],
    [
      "a file that is no JSON",
      { "scenarios/a.yaml": `${SCENARIO}fixtures: { look: [{ file: ../suite.yaml }] }\n` },
      "SUITE/suite.yaml is not JSON",
    ],
    [
      "a bad matcher",
      {
        "scenarios/a.yaml":
          "id: a\ninput: { message: x }\nexpect: { tools: { called: [{ tool: look, arguments: { a: { $near: 1 } } }] } }\n",
      },
      "unknown operator $near",
    ],
    [
      "a bad pattern",
      { "scenarios/a.yaml": 'id: a\ninput: { message: x }\nexpect: { answer: { matches: "(" } }\n' },
      "expect.answer.matches must be a regular expression",
    ],
    ["an empty turn", { "scenarios/a.yaml": `${SCENARIO}model: [{}]\n` }, "model.0 needs a text or calls"],
  ])("because it has %s says so in one sentence", async (_name, files, problem) => {
    expect(await problemOf(files)).toContain(problem);
  });

  it.each([
    ["a fixture", { "suite/scenarios/a.yaml": `${SCENARIO}fixtures: { look: [{ file: ../../secret.json }] }\n` }, "secret.json"],
    ["a fixture of the suite", { "suite/suite.yaml": "suite: shop\nfixtures: { look: [{ file: ../secret.json }] }\n" }, "secret.json"],
    ["a link", { "suite/scenarios/a.yaml": `${SCENARIO}fixtures: { look: [{ file: ../link.json }] }\n` }, "suite/link.json"],
    ["the tools", { "suite/suite.yaml": "suite: shop\ntools: ../secret.json\n" }, "secret.json"],
    ["the profiles", { "suite/suite.yaml": "suite: shop\nprofiles: ..\n" }, "SUITE"],
    ["the labels", { "suite/suite.yaml": "suite: shop\njudge: { labels: ../secret.json }\n" }, "secret.json"],
    ["a linked scenario", { "secret.yaml": SCENARIO.replace("first", "other") }, "suite/scenarios/linked.yaml"],
  ])("because %s is outside its folder gives nothing of it away", async (_name, files, named) => {
    await write({
      "secret.json": '{"key":"TOP SECRET"}',
      "suite/suite.yaml": "suite: shop\n",
      "suite/scenarios/a.yaml": SCENARIO,
      ...files,
    });
    await symlink("../secret.json", path.join(folder, "suite/link.json"));
    if ("secret.yaml" in files) await symlink("../../secret.yaml", path.join(folder, "suite/scenarios/linked.yaml"));
    const read = await readSuite(path.join(folder, "suite"), KNOWN);
    const problem = read.ok ? "" : read.problem.replaceAll(folder, "SUITE");
    expect(problem).toContain(
      `${named} is outside SUITE/suite, and a suite reads only files of its own folder or repository: copy it there.`,
    );
    expect(problem).not.toContain("TOP SECRET");
  });

  it("may name files of the git repository in which it is, and none outside it", async () => {
    await write({
      "secret.json": '{"key":"TOP SECRET"}',
      "repo/.git": "gitdir: elsewhere",
      "repo/answers/look.json": '{"found":1}',
      "repo/evals/shop/suite.yaml": "suite: shop\nfixtures: { look: [{ file: ../../answers/look.json }] }\n",
      "repo/evals/shop/scenarios/a.yaml": SCENARIO,
    });
    expect(await readSuite(path.join(folder, "repo/evals/shop"), KNOWN)).toMatchObject({ ok: true });
    await write({ "repo/evals/shop/suite.yaml": "suite: shop\nfixtures: { look: [{ file: ../../../secret.json }] }\n" });
    expect(await readSuite(path.join(folder, "repo/evals/shop"), KNOWN)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/secret\.json is outside .*repo, /),
    });
  });

  it("names a missing suite", async () => {
    const read = await readSuite(path.join(folder, "nothing"), KNOWN);
    expect(read).toMatchObject({ ok: false, problem: expect.stringContaining("cannot be read (ENOENT)") as string });
  });
});
