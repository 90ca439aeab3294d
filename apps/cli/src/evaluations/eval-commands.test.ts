import { mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type ModelServer, startModelServer } from "@toolbus/model-servers";
import { describe, expect, it } from "vitest";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";

/** Makes the text of a result whose only scenario has this score. */
function resultText(value: number, more: object = {}, trial: object = {}): string {
  const usage = { rounds: 1, toolCalls: 1, inputTokens: 10, outputTokens: 5, costMicroUsd: 100, elapsedMs: 20 };
  const score = { name: "order", dimension: "tool_use", value, passed: true, reason: "\u001B[31mred" };
  return JSON.stringify({
    format: "toolbus-eval-result/1",
    suite: "made-up",
    suiteHash: "h",
    scenarioHashes: { one: "h1" },
    tags: { one: ["high"] },
    models: { default: "offline rules-1" },
    startedAt: "2026-11-29T06:00:00.000Z",
    endedAt: "2026-11-29T06:01:00.000Z",
    trials: [{ scenario: "one", variant: "default", repeat: 1, status: "passed", scores: [score], usage, ...trial }],
    ...more,
  });
}

async function setup(env: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtempDisposable(path.join(os.tmpdir(), "eval-cli-"));
  return {
    at: (name: string) => path.join(folder.path, name),
    file: async (name: string, content: string) => (await writeFile(path.join(folder.path, name), content), name),
    async run(...words: readonly string[]) {
      const { around, said } = surroundingsUnderTest(env);
      const ended = await runCommandLine(["eval", ...words], { ...around, cwd: folder.path }).catch((error: unknown) => error);
      const failure = ended as { readonly exitCode?: number; readonly message?: string };
      return { code: failure.exitCode ?? ended, problem: failure.message ?? null, ...said() };
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

describe("eval baseline", () => {
  it("saves a result, finds it again as the last one, and exits with 2 only for a drop over 5 percent and only if asked", async () => {
    await using t = await setup();
    const [before, small, large] = [
      await t.file("before.json", resultText(1)),
      await t.file("4.9.json", resultText(0.951)),
      await t.file("5.1.json", resultText(0.949)),
    ];
    expect(await t.run("baseline", "save", before, "1.4.0")).toMatchObject({
      code: 0,
      out: expect.stringContaining("evals/baselines/made-up/1.4.0.json"),
    });
    expect(await t.run("baseline", "compare", small, "--fail-on-regression")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/0 regressions\./),
    });
    expect(await t.run("baseline", "compare", large)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/2 regressions:\n.*tool_use was 1\.000 and is 0\.949 \(-5\.1 %\)/),
    });
    expect(await t.run("baseline", "compare", large, "1.4.0", "--fail-on-regression")).toMatchObject({ code: 2, problem: null });
    const { code, out } = await t.run("baseline", "compare", large, "--fail-on-regression", "--json");
    expect([code, JSON.parse(out)]).toMatchObject([
      2,
      { ok: false, baseline: "1.4.0", compared_scenarios: 1, regressions: [{ score: "tool_use" }, { scenario: "one" }] },
    ]);
  });

  it("keeps a saved baseline unless it is told to replace it, and leaves nothing else in the folder", async () => {
    await using t = await setup();
    const [one, two] = [await t.file("one.json", resultText(1)), await t.file("two.json", resultText(0.5))];
    await t.run("baseline", "save", one, "main");
    const saved = await readFile(t.at("evals/baselines/made-up/main.json"), "utf8");
    expect(await t.run("baseline", "save", two, "main")).toMatchObject({ code: 1, problem: expect.stringMatching(/exists: .* --replace/) });
    expect(await readFile(t.at("evals/baselines/made-up/main.json"), "utf8")).toBe(saved);
    expect(await t.run("baseline", "save", two, "main", "--replace")).toMatchObject({ code: 0 });
    expect(await readFile(t.at("evals/baselines/made-up/main.json"), "utf8")).not.toBe(saved);
    expect(await readdir(t.at("evals/baselines/made-up"))).toEqual(["main.json"]);
  });

  it("does not exit with 2 for an advisory score", async () => {
    await using t = await setup();
    const judged = (value: number) => ({
      scores: [{ name: "judge a", dimension: "judge", value, passed: value > 0.5, reason: "x", advisory: true }],
    });
    await t.run("baseline", "save", await t.file("before.json", resultText(1, {}, judged(1))), "1");
    expect(
      await t.run("baseline", "compare", await t.file("now.json", resultText(1, {}, judged(0))), "--fail-on-regression"),
    ).toMatchObject({
      code: 0,
      out: expect.stringMatching(/judge a was 1\.000 and is 0\.000 .*\(advisory\)/),
    });
  });

  it.each([
    ["nothing could be compared", { scenarioHashes: { one: "other" } }, {}, /nothing was compared/],
    ["a scenario could not be scored", {}, { status: "error", problem: "No model." }, /1 scenario could not be scored, such as one/],
  ])("exits with 1 if it must gate and %s, because such a result says nothing", async (_, more, trial, problem) => {
    await using t = await setup();
    await t.run("baseline", "save", await t.file("before.json", resultText(1)), "1");
    const now = await t.file("now.json", resultText(1, more, trial));
    expect(await t.run("baseline", "compare", now, "--fail-on-regression")).toMatchObject({
      code: 1,
      problem: expect.stringMatching(problem),
    });
    expect(await t.run("baseline", "compare", now)).toMatchObject({ code: 0 });
  });

  it("refuses a baseline of another suite, one that does not exist and a version that cannot be a file, each with one sentence", async () => {
    await using t = await setup();
    await t.run("baseline", "save", await t.file("other.json", resultText(1, { suite: "other" })), "1");
    const now = await t.file("now.json", resultText(1));
    expect(await t.run("baseline", "compare", now, "evals/baselines/other/1.json")).toMatchObject({
      code: 1,
      problem: expect.stringMatching(/of the suite other/),
    });
    expect(await t.run("baseline", "compare", now)).toMatchObject({
      code: 1,
      problem: expect.stringMatching(/The suite made-up has no baseline/),
    });
    expect(await t.run("baseline", "compare", now, "9")).toMatchObject({
      code: 1,
      problem: expect.stringMatching(/cannot be read \(ENOENT\)/),
    });
    expect(await t.run("baseline", "save", now, "../../up")).toMatchObject({
      code: 1,
      problem: expect.stringMatching(/cannot have the version/),
    });
    expect(await t.run("baseline", "compare", now, "--over", "five")).toMatchObject({
      code: 2,
      problem: expect.stringMatching(/--over needs a number/),
    });
  });
});

describe("eval report", () => {
  it("prints Markdown, or the document with --json, or writes one HTML page", async () => {
    await using t = await setup();
    const result = await t.file("result.json", resultText(1));
    expect(await t.run("report", result)).toMatchObject({ code: 0, out: expect.stringMatching(/^# Evaluation of made\\?-up\n/) });
    expect(JSON.parse((await t.run("report", result, "--json")).out)).toMatchObject({ summary: { pass_rate: 1, total_scenarios: 1 } });
    expect(JSON.parse((await t.run("report", result, "--format", "html", "--json")).out)).toMatchObject({
      format: "html",
      text: expect.stringMatching(/^<!doctype html>/),
    });
    expect(await t.run("report", result, "--format", "html", "--out", "report.html")).toMatchObject({
      code: 0,
      out: "The report is in report.html.\n",
    });
    expect(await readFile(t.at("report.html"), "utf8")).toMatch(/^<!doctype html>[^]*<\/html>\n$/);
  });

  it.each([
    ["is empty", ""],
    ["is no JSON", "PASS"],
    ["is torn", resultText(1).slice(0, 300)],
    ["is of another version", resultText(1, { format: "toolbus-eval-result/2" })],
  ])("refuses a file that %s, with one sentence and exit code 1, and writes nothing", async (_, text) => {
    await using t = await setup();
    const result = await t.file("result.json", text);
    const { code, problem, out } = await t.run("report", result, "--out", "report.md");
    expect([code, out]).toEqual([1, ""]);
    expect(problem).toMatch(/^The result file result\.json [^\n]+\.$/);
    expect(await readdir(t.at("."))).toEqual(["result.json"]);
  });

  it("does not replace its own result", async () => {
    await using t = await setup();
    const result = await t.file("result.json", resultText(1));
    expect(await t.run("report", result, "--out", "./result.json")).toMatchObject({
      code: 1,
      problem: expect.stringMatching(/its own result/),
    });
    expect(await readFile(t.at("result.json"), "utf8")).toBe(resultText(1));
  });
});

describe("eval compare", () => {
  it("compares two results of one suite, and refuses those of two suites", async () => {
    await using t = await setup();
    const [one, two] = [await t.file("one.json", resultText(1)), await t.file("two.json", resultText(0.5))];
    expect(await t.run("compare", one, two)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/The mean score of two\.json is 0\.500 lower \(its interval is unknown\)/),
    });
    expect(JSON.parse((await t.run("compare", one, two, "--json")).out)).toMatchObject({
      first: "one.json",
      pairs: 1,
      mean_difference: -0.5,
    });
    const other = await t.file("other.json", resultText(1, { suite: "other" }));
    expect(await t.run("compare", one, other)).toMatchObject({ code: 1, problem: expect.stringMatching(/compare results of one suite/) });
  });
});

describe("eval judge", () => {
  const labels = (count: number): string =>
    JSON.stringify({
      labels: 1,
      questions: { honest: "Is it honest?" },
      examples: Array.from({ length: count }, (_, n) => ({
        criterion: "honest",
        answer: n % 2 === 0 ? "GOOD" : "BAD",
        label: n % 2 === 0 ? "yes" : "no",
      })),
    });
  const judging = (server: ModelServer) => ({
    LLM_PROVIDER: "anthropic",
    LLM_MODEL: server.model,
    ANTHROPIC_API_KEY: server.key,
    LLM_BASE_URL: server.url,
  });
  const honest = (text: string) => JSON.stringify({ verdict: text.includes("GOOD") ? "yes" : "no", reason: "As it says." });
  const brain = (text: (prompt: string) => string) => ({
    brain: ({ messages }: { messages: readonly object[] }) => ({ text: text(JSON.stringify(messages)) }),
  });

  it("prints agreement, kappa and interval of a model behind HTTP, and saves them where an evaluation finds them", async () => {
    const server = await startModelServer("anthropic", brain(honest));
    await using _stopped = { [Symbol.asyncDispose]: () => server.close() };
    await using t = await setup(judging(server));
    const file = await t.file("labels.yaml", labels(20));
    const { code, out } = await t.run("judge", file, "--votes", "1", "--save", "--quiet");
    expect(code).toBe(0);
    expect(out).toMatch(
      /on 20 labelled examples\.\nAgreement 100\.0 %, kappa 1\.000 \(standard error 0\.000, 95 % interval 0\.678 to 1\.000\)\.[^]*This judge may gate\.\n$/,
    );
    expect(JSON.parse(await readFile(t.at("labels.calibration.json"), "utf8"))).toMatchObject({
      kappa: 1,
      judge: { provider: "anthropic", votes: 1 },
    });
    expect(server.requests).toHaveLength(20);
  });

  it.each([
    ["no model is configured", [], /^Not measured: no language model is configured/],
    ["the provider has no key", ["--provider", "anthropic"], /^Not measured: the provider anthropic has no key \(ANTHROPIC_API_KEY\)/],
  ])("says that the judge is not measured if %s", async (_, words, line) => {
    await using t = await setup();
    const file = await t.file("labels.yaml", labels(4));
    expect(await t.run("judge", file, ...words)).toMatchObject({ code: 0, out: expect.stringMatching(line) });
    expect(JSON.parse((await t.run("judge", file, ...words, "--json")).out)).toMatchObject({ measured: false, gates: false });
  });

  it("exits with 1 and one sentence, and saves nothing, if the judge answers nonsense or the labels have one class", async () => {
    const server = await startModelServer(
      "anthropic",
      brain(() => "Well, it depends."),
    );
    await using _stopped = { [Symbol.asyncDispose]: () => server.close() };
    await using t = await setup(judging(server));
    const file = await t.file("labels.yaml", labels(4));
    expect(await t.run("judge", file, "--votes", "1", "--save")).toMatchObject({
      code: 1,
      problem: expect.stringMatching(/^The judge could not be measured[^\n]+\.$/),
    });
    const asked = server.requests.length;
    const single = await t.file("single.yaml", labels(1));
    expect(await t.run("judge", single)).toMatchObject({ code: 1, problem: expect.stringMatching(/only examples with the label yes/) });
    expect(await t.run("judge", file, "--votes", "2")).toMatchObject({ code: 2, problem: expect.stringMatching(/odd number/) });
    expect(server.requests).toHaveLength(asked);
    expect(await readdir(t.at("."))).toEqual(["labels.yaml", "single.yaml"]);
  });
});
