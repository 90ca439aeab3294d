import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, RELEASE, TOOLBUS } from "./testing/cli-under-test.ts";
import { type Ended, runProgram, stackLines, startCommand } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const SUITES = path.resolve(import.meta.dirname, "../../evals");

/** The parts of a result that the tests read. */
interface Trial {
  readonly scenario: string;
  readonly variant: string;
  readonly repeat: number;
  readonly status: string;
  readonly problem?: string;
  readonly runId?: string;
  readonly scores: readonly { readonly name: string; readonly passed: boolean; readonly reason: string }[];
}

interface SuiteResult {
  readonly models: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, readonly string[]>>;
  readonly trials: readonly Trial[];
}

let files: Scratch;
beforeAll(() => {
  files = scratch();
});
afterAll(() => files.remove());

let outs = 0;
const newOut = (): string => files.at(`out-${++outs}`);

function evaluate(suite: string, out: string, ...more: readonly string[]): Promise<Ended> {
  return runProgram(TOOLBUS, ["eval", "run", suite, "--out", out, ...more]);
}

const resultIn = (out: string): SuiteResult => JSON.parse(readFileSync(path.join(out, "result.json"), "utf8")) as SuiteResult;
const keyOf = ({ scenario, repeat }: Trial): string => `${scenario} ${repeat}`;

/** Returns what did not pass, so that a red test shows the reasons. */
function unpassed({ trials }: SuiteResult): readonly unknown[] {
  return trials
    .filter(({ status }) => status !== "passed")
    .map(({ scenario, problem, scores }) => [
      scenario,
      problem ?? scores.filter(({ passed }) => !passed).map(({ name, reason }) => [name, reason]),
    ]);
}

/** Writes a suite of one file with the offline agent of releases, and returns its path. */
function suiteOf(name: string, scenarios: readonly object[], more: object = {}): string {
  return files.file(`${name}/suite.yaml`, JSON.stringify({ suite: name, scenarios, ...more }));
}

/** Returns the finished trials of a journal. A torn line is no finished trial. */
function trialsIn(journal: string): readonly Trial[] {
  const lines = existsSync(journal) ? readFileSync(journal, "utf8").split("\n").slice(0, -1) : [];
  return lines.flatMap((line) => (JSON.parse(line) as { readonly trial?: Trial }).trial ?? []);
}

/** Resolves as soon as the journal in a folder has this many trials. */
async function journalHas(least: number, folder: string): Promise<void> {
  for await (const _ of watch(folder, { signal: AbortSignal.timeout(110_000) }))
    if (trialsIn(path.join(folder, "journal.jsonl")).length >= least) return;
}

describe("the suites of this repository", () => {
  it.each([
    ["release-risk", 25],
    ["orders-desk", 8],
  ])("pass without a model: %s", async (name, least) => {
    const out = newOut();
    const ended = await evaluate(path.join(SUITES, name), out, "--json");
    const result = resultIn(out);
    expect(unpassed(result)).toEqual([]);
    expect(ended.code).toBe(0);
    expect(result.trials.length).toBeGreaterThanOrEqual(least);
    expect(JSON.parse(ended.stdout)).toEqual(result);
  });

  it("have releases of high, medium and low risk, edge cases and errors, of each at least three that are assessed as expected", async () => {
    const out = newOut();
    await evaluate(path.join(SUITES, "release-risk"), out);
    const { tags, trials } = resultIn(out);
    const passed = (kind: string) => trials.filter(({ scenario, status }) => tags[scenario]?.includes(kind) && status === "passed");
    const rare = ["high", "medium", "low", "edge", "error"].filter((kind) => passed(kind).length < 3);
    expect(rare).toEqual([]);
    const misjudged = ["high", "medium", "low"].filter((kind) => {
      const reasons = passed(kind).flatMap(({ scores }) => scores.map(({ reason }) => reason));
      return reasons.filter((reason) => reason === `The severity is ${kind}, expected ${kind}.`).length < 3;
    });
    expect(misjudged).toEqual([]);
  });
});

describe("an evaluation", () => {
  it("that is killed goes on where it was, and repeats no finished trial", async () => {
    const out = newOut();
    const journal = path.join(out, "journal.jsonl");
    const args = ["eval", "run", path.join(SUITES, "orders-desk"), "--out", out, "--repeats", "20", "--parallel", "2"];
    mkdirSync(out, { recursive: true });
    {
      await using killed = startCommand(process.execPath, [TOOLBUS, ...args], {});
      await journalHas(3, out);
      killed.kill("SIGKILL");
      expect(await killed.ended()).toMatchObject({ code: null, signal: "SIGKILL" });
    }
    expect(existsSync(path.join(out, "result.json"))).toBe(false);
    const before = trialsIn(journal);
    expect(before.length).toBeGreaterThanOrEqual(3);
    expect(before.length).toBeLessThan(160);
    // A kill may also tear a line.
    appendFileSync(journal, '{"trial":{"scenario":"refund-sm');
    const again = await runProgram(TOOLBUS, args);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("160 of 160 trials passed") as string });
    expect(again.stderr).toContain(`${before.length} finished trials of an earlier start are kept`);
    const after = new Map(resultIn(out).trials.map((trial) => [keyOf(trial), trial]));
    expect(after.size).toBe(160);
    for (const trial of before) expect(after.get(keyOf(trial))).toEqual(trial);
    expect(existsSync(journal)).toBe(false);
  });

  it("never gives the answers of one trial to another that runs at the same time", async () => {
    const summary = (failed: number) => ({
      release_id: "shop-2.0",
      version: "shop-2.0",
      from: { name: "shop-1.9" },
      to: { name: "shop-2.0" },
      change_count: 1,
      changes: ["Round totals"],
      files: { changed: 1, insertions: 5, deletions: 1, binary: 0, top: [{ path: "src/cart/total.ts", insertions: 5, deletions: 1 }] },
      tests: {
        passed: 100,
        failed,
        skipped: 0,
        failures: failed === 0 ? [] : [{ suite: "payments", name: "charges once", message: "It charged twice." }],
      },
      deployment_metrics: { error_rate: 0.0008, response_time_p95: 180, baseline: { error_rate: 0.0008, response_time_p95: 180 } },
    });
    const scenarios = Array.from({ length: 40 }, (_, n) => ({
      id: `release-${n}`,
      input: { release: "shop-2.0" },
      fixtures: {
        get_release_summary: [{ result: summary(n % 2) }],
        file_risk_report: [{ result: { report_id: `rr_${n}`, release_id: "shop-2.0" } }],
      },
      approvals: { file_risk_report: { decide: "approve" } },
      expect: { end: "completed", severity: n % 2 === 1 ? "high" : "low", answer: { includes: [`rr_${n}`] } },
    }));
    const out = newOut();
    await evaluate(suiteOf("mixing", scenarios), out, "--parallel", "16");
    expect(unpassed(resultIn(out))).toEqual([]);
    expect(resultIn(out).trials).toHaveLength(40);
  });

  it("exits with 2 if a trial fails, says why, and runs only the chosen scenarios", async () => {
    const hello = (id: string, told: object) => ({
      id,
      tags: ["chat"],
      input: { message: "Hello" },
      model: [{ text: "Hi." }],
      expect: told,
    });
    const suite = suiteOf("failing", [
      hello("good", { end: "completed" }),
      hello("bad", { answer: { includes: ["Bye"] } }),
      { ...hello("ugly", { end: "completed" }), tags: [] },
    ]);
    const out = newOut();
    const ended = await evaluate(suite, out, "--only", "chat");
    expect(ended).toMatchObject({ code: 2, stdout: expect.stringContaining("1 of 2 trials passed, 1 failed") as string });
    expect(ended.stdout).toMatch(/^failed {2}bad .+\n {2}answer\.includes Bye: /m);
    // The system is gone, so the run is in a file.
    expect(ended.stdout).toContain(`What the runs of failed trials did is in ${out}/failed`);
    expect(readdirSync(path.join(out, "failed"))).toEqual(["bad.default.1.json"]);
    const kept: unknown = JSON.parse(readFileSync(path.join(out, "failed/bad.default.1.json"), "utf8"));
    expect(kept).toMatchObject({ scenario: "bad", status: "failed", run: { end: "completed", answer: "Hi.", calls: [] } });
    // Files of an earlier evaluation would only confuse people.
    const again = await evaluate(suite, out, "--only", "good");
    expect(again).toMatchObject({ code: 0, stdout: expect.not.stringContaining("failed") as string });
    expect(existsSync(path.join(out, "failed"))).toBe(false);
  });

  it("is compared with a baseline after the agent has changed, so that a worse prompt or tool stops the deployment", async () => {
    const profile = (rest: string) =>
      files.file(
        "gated/profiles/desk.yaml",
        `name: desk\ndescription: Helps.\nsystemPrompt: Help.\nlimits: { rounds: 5, activeSeconds: 60 }\n${rest}\n`,
      );
    const hello = {
      id: "hello",
      input: { message: 'get_past_releases {"release_id": "v1"}' },
      expect: { tools: { called: [{ tool: "get_past_releases", status: "ok" }] } },
    };
    const suite = suiteOf("gated", [hello], { profile: "desk", profiles: "./profiles", fixtures: { get_past_releases: [{ result: [] }] } });
    const [out, folder] = [newOut(), files.at("gated-baselines")];
    profile("tools: [get_past_releases]");
    expect((await evaluate(suite, out)).code).toBe(0);
    const baseline = (...args: readonly string[]) => runProgram(TOOLBUS, ["eval", "baseline", ...args, "--folder", folder]);
    const result = path.join(out, "result.json");
    expect((await baseline("save", result, "1")).code).toBe(0);
    profile("tools: [get_release_summary]");
    expect((await evaluate(suite, out)).code).toBe(2);
    expect(await baseline("compare", result, "--fail-on-regression")).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("1 scenario compared with the baseline 1.") as string,
    });
  });

  it("runs each variant on the same scenarios, with its own model text and tool descriptions", async () => {
    const variant = files.file(
      "short.yaml",
      "name: short\nsystemPrompt: Be short.\ndescriptions: { lookup_order: Looks an order up by its id. }\n",
    );
    const out = newOut();
    const ended = await evaluate(path.join(SUITES, "orders-desk"), out, "--variant", variant, "--only", "read");
    const { trials, models } = resultIn(out);
    expect(ended.code).toBe(0);
    expect(Object.keys(models)).toEqual(["default", "short"]);
    expect(trials.filter((trial) => trial.variant === "short").length).toBe(trials.length / 2);
  });
});

describe("an evaluation that cannot run", () => {
  const plain = { id: "one", input: { message: "Hello" }, model: [{ text: "Hi." }], expect: { end: "completed" } };

  it.each([
    [
      "of an unknown tool",
      () => suiteOf("unknown-tool", [{ ...plain, fixtures: { get_realese: [{ result: 1 }] } }]),
      /^The scenario one names 1 unknown tool \(get_realese\)/,
    ],
    ["of an empty suite", () => suiteOf("empty", []), /^The suite empty has no scenarios: add a file to /],
    ["of a missing suite", () => files.at("nowhere"), /^.*nowhere cannot be read \(ENOENT\)/],
    [
      "of an unknown field",
      () => suiteOf("field", [{ ...plain, expects: {} }]),
      /cannot be used: line 1: scenarios\.0\.expects is not a known field/,
    ],
    [
      "of an unknown profile",
      () => suiteOf("profile", [plain, { ...plain, id: "two" }], { profile: "dsek" }),
      /^The suite needs the profile "dsek", and there are only alert-investigation, chat, .*: correct its name, or add its file/,
    ],
    [
      "of a broken profile",
      () => {
        files.file("broken/profiles/desk.yaml", "name: desk\nsystemPrompt: Help.\ncolour: red\n");
        return suiteOf("broken", [plain], { profile: "desk", profiles: "./profiles" });
      },
      /^The profile file .*\/broken\/profiles\/desk\.yaml cannot be used: .*line 3: colour is not a known field/,
    ],
  ])("because %s says so in one sentence and exits with 1", async (_, suite, sentence) => {
    const { code, stdout, stderr } = await evaluate(suite(), newOut());
    expect(stderr).toMatch(sentence);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect({ code, stdout, stack: stackLines(stderr) }).toEqual({ code: 1, stdout: "", stack: [] });
  });

  it("because the journal is of another suite keeps the journal, and begins again with --fresh", async () => {
    const out = newOut();
    const head = { head: { suite: "other", suiteHash: "x", variants: {}, repeats: 1, startedAt: "2026-01-01T00:00:00.000Z" } };
    const trial = { trial: { scenario: "a", variant: "default", repeat: 1, status: "passed", scores: [], usage: {} } };
    const journal = files.file(path.join(path.basename(out), "journal.jsonl"), `${JSON.stringify(head)}\n${JSON.stringify(trial)}\n`);
    const suite = suiteOf("journal", [plain]);
    const refused = await evaluate(suite, out);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^The journal .+ is of another evaluation \(of the suite other\): begin again with --fresh/m);
    expect(readFileSync(journal, "utf8")).toContain('"other"');
    expect((await evaluate(suite, out, "--fresh")).code).toBe(0);
  });

  it("because a number is none exits with 2, as every wrong command line does", async () => {
    const { code, stderr } = await evaluate(suiteOf("numbers", [plain]), newOut(), "--repeats", "many");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--repeats.*must be a whole number from 1 to 100/i) as string,
    });
  });
});

describe("an evaluation of a running Toolbus", () => {
  let cli: CliUnderTest;
  beforeAll(async () => {
    cli = await cliUnderTest();
  });
  afterAll(() => cli.stop());

  it("sends the scenarios there and scores its runs", async () => {
    const scenario = {
      id: "hello",
      input: { message: "What can you do?" },
      expect: { end: "completed", tools: { notCalled: ["file_risk_report"] } },
    };
    const out = newOut();
    const ended = await cli.run(["eval", "run", suiteOf("live", [scenario]), "--out", out, "--live"]);
    expect(ended).toMatchObject({ code: 0 });
    const [trial] = resultIn(out).trials;
    expect((await cli.run(["runs", "show", trial?.runId ?? ""])).code).toBe(0);
  });

  it("names the run of a trial that did not end in time, and the command that explains it", async () => {
    // Nobody decides about the report.
    const scenario = { id: "late", input: { release: RELEASE }, timeoutSeconds: 3, expect: { end: "completed" } };
    const out = newOut();
    const ended = await cli.run(["eval", "run", suiteOf("late", [scenario]), "--out", out, "--live"]);
    const [{ runId = "", problem = "" } = {}] = resultIn(out).trials;
    const command = `toolbus runs why ${runId}`;
    expect(problem).toBe(`It did not end within 3 s. Its run is ${runId}: "${command}" says how far it came.`);
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining(`error  late  ${runId}\n  ${problem}\n`) as string });
    expect(ended.stdout).not.toContain("What the runs of failed trials did");
    expect((await cli.run(command.split(" ").slice(1))).stdout).toContain(RELEASE);
  });
});
