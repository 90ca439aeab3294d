import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, waitingIn } from "./testing/cli-under-test.ts";
import { approve } from "./testing/http-client.ts";
import { shopRepository } from "./testing/shop-repository.ts";

let cli: CliUnderTest;
let repo = "";
beforeAll(async () => {
  cli = await cliUnderTest();
  repo = shopRepository(cli.files.at("shop"));
});
afterAll(() => cli.stop());

/** Investigates with these flags, and lets the approver say yes. Returns what the command wrote. */
async function investigated(...flags: readonly string[]) {
  await using program = cli.shell(`toolbus investigate ${flags.join(" ")}`);
  await approve(cli, approvalOf(await waitingIn(program)));
  return await program.ended();
}

describe("toolbus investigate --repo", () => {
  it("judges the change without asking the release API, and shows findings with evidence and advice", async () => {
    const { code, stdout } = await investigated("--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--fail-on", "high");
    expect(code).toBe(2);
    expect(stdout).not.toContain("get_release_summary");
    // The release API of this system does not have the release, but takes a report on any.
    expect(stdout).toMatch(/^✓ file_risk_report ok/m);
    expect(stdout).toMatch(/^Report on v1\.0\.1: high/m);
    expect(stdout).toMatch(/^Its target has the report at \/risk-report\/\S+\.$/m);
    expect(stdout).toMatch(/^ {2}from v1\.0\.0 \([0-9a-f]{12}\) to v1\.0\.1 \([0-9a-f]{12}\), confidence medium$/m);
    expect(stdout).toMatch(/^ {2}high {4}security fix: 1 commit to product code/m);
    expect(stdout).toMatch(/^ {10}commit [0-9a-f]{12} Fix a bypass of the login/m);
    expect(stdout).toMatch(/^ {10}src\/login\.ts:\d+-\d+$/m);
    expect(stdout).toMatch(/^ {10}Do: Ask a security owner/m);
    expect(stdout).toMatch(/^ {2}Not known: Test results: the run has read no release summary\./m);
    expect(stdout).toMatch(/^ {2}Rules: security-wording/m);
    // The subject tries to clear the screen and to turn the text around.
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    const report = stdout.slice(stdout.indexOf("\nReport on "));
    expect(report.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("names base, head, package, confidence, unknowns and every rule in its JSON and in that of the run", async () => {
    const folder = cli.files.at("out.json");
    await using program = cli.shell(`toolbus investigate --repo ${repo} --from v1.0.0 --to v1.0.1 --json > ${folder}; cat ${folder}`);
    await approve(cli, approvalOf(await waitingIn(program)));
    const { stdout } = await program.ended();
    const document = JSON.parse(stdout.slice(stdout.indexOf("{\n"))) as Record<string, unknown>;
    const verdict = {
      base: { ref: "v1.0.0", commit: expect.stringMatching(/^[0-9a-f]{12}$/) },
      head: { ref: "v1.0.1", commit: expect.stringMatching(/^[0-9a-f]{12}$/) },
      package: null,
      confidence: "medium",
      rules: ["security-wording"],
      unknowns: expect.arrayContaining([expect.stringMatching(/^Test results/)]),
      findings: [
        {
          severity: "high",
          kind: "security_fix",
          rule: "security-wording",
          evidence: expect.arrayContaining([
            { commit: expect.any(String), subject: expect.stringContaining("Fix a bypass of the login") },
            { file: "src/login.ts", lines: [expect.any(Number), expect.any(Number)] },
          ]),
          advice: expect.stringMatching(/security owner/),
        },
      ],
    };
    expect(document).toMatchObject({ severity: "high", exitCode: 0, report: { subject: "v1.0.1", verdict } });
    const shown = await cli.run(["runs", "show", String(document["runId"]), "--json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ report: { verdict } });
    expect((await cli.run(["runs", "list", "--limit", "1"])).stdout).toMatch(/release v1\.0\.1$/m);
  });

  it("finds what a list of advisories says that the release fixes and leaves open", async () => {
    const affected = (fixed: string) => [
      { package: { ecosystem: "npm", name: "shop" }, ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed }] }] },
    ];
    const list = cli.files.at("advisories.json");
    writeFileSync(
      list,
      JSON.stringify([
        { id: "ADV-1", affected: affected("1.0.1") },
        { id: "ADV-2", affected: affected("1.2.0") },
      ]),
    );
    const { stdout } = await investigated("--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--advisories", list);
    expect(stdout).toMatch(/^ {2}high {4}security fix: The release fixes 1 published vulnerability \(ADV-1\)\.$/m);
    expect(stdout).toMatch(/^ {2}medium {2}risky area: The release has 1 published vulnerability\.$/m);
    expect(stdout).toMatch(/^ {10}advisory ADV-2$/m);
    writeFileSync(list, "{");
    const refused = await cli.run(["investigate", "--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--advisories", list]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("advisories.json of the advisories is not JSON in UTF-8: get it again");
  });

  it("judges the tests and the metrics that a person hands in, and becomes more certain", async () => {
    const suite = (more: string) => `<testsuite name="cart"><testcase name="adds"/><testcase name="pays">${more}</testcase></testsuite>`;
    const metrics = { error_rate: 0.001, response_time_p95: 400, baseline: { error_rate: 0.001, response_time_p95: 400 } };
    const [junit, figures] = [cli.files.file("junit.xml", suite("")), cli.files.file("metrics.json", JSON.stringify(metrics))];
    const ends = ["--repo", repo, "--from", "v1.0.1", "--to", "v1.0.2"];
    const without = await investigated(...ends);
    expect(without.stdout).toMatch(/^Report on v1\.0\.2: low/m);
    expect(without.stdout).toContain(", confidence medium");
    const passing = await investigated(...ends, "--junit", junit, "--metrics", figures);
    expect(passing.stdout).toMatch(/^Report on v1\.0\.2: low/m);
    expect(passing.stdout).toContain(", confidence high");
    expect(passing.stdout).toMatch(/^ {2}low {5}tests: All tests that ran passed: 2 passed, 0 failed, 0 skipped\.$/m);
    expect(passing.stdout).not.toContain("Test results: ");
    expect(passing.stdout).not.toContain("Deployment metrics: ");
    writeFileSync(junit, suite('<failure message="no \u202e"/>'));
    const failing = await investigated(...ends, "--junit", junit, "--json");
    const { severity, runId, report } = JSON.parse(failing.stdout.slice(failing.stdout.indexOf("{\n"))) as Record<string, unknown>;
    expect({ severity, report }).toMatchObject({
      severity: "high",
      report: { verdict: { confidence: "high", rules: ["failed-tests"], unknowns: [expect.stringMatching(/^Deployment metrics/)] } },
    });
    const run = JSON.parse((await cli.run(["runs", "show", String(runId), "--json"])).stdout) as object;
    const failures = [{ name: "pays", suite: "cart", message: "no" }];
    expect(run).toMatchObject({ input: { measurements: { tests: { passed: 1, failed: 1, skipped: 0, failures } } } });
    const [folder, out] = [cli.files.at("measured"), cli.files.at("measured-result")];
    expect(await cli.run(["eval", "add", String(runId), "--suite", folder, "--id", "failing"])).toMatchObject({ code: 0 });
    expect(await cli.run(["eval", "run", folder, "--out", out])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 of 1 trial passed"),
    });
  });

  it("gives a model the facts as data, and the input of the run has them for the rules", async () => {
    const started = await cli.run(["investigate", "--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--no-wait"]);
    const runId = started.stdout.trim();
    const run = JSON.parse((await cli.run(["runs", "show", runId, "--json"])).stdout) as { readonly conversationId: string };
    const messages = await cli.run(["conversations", "show", run.conversationId, "--json"]);
    expect(messages.stdout + JSON.stringify(run)).toContain("format");
    expect(run).toMatchObject({ input: { changes: { format: 1, head: { ref: "v1.0.1" } } } });
  });

  it("asks the approver with a card that no text leaves, and that has a note in place of the facts in the message", async () => {
    const command = `toolbus investigate --repo ${repo} --from v1.0.0 --to v1.0.1`;
    await using program = cli.shell(command);
    const approval = approvalOf(await waitingIn(program));
    const { stdout } = await cli.run(["approvals", "show", approval]);
    const lines = stdout.trimEnd().split("\n");
    const card = lines.slice(
      1,
      lines.findIndex((line) => line.startsWith("└")),
    );
    // Wrapped lines may break the note, so only its beginning is looked for.
    expect(card.join("\n")).toContain("Investigate the release v1.0.1. [with the facts of");
    expect(card.join("\n")).not.toContain("format");
    expect(card.filter((line) => !line.startsWith("│") || line.length > 100)).toEqual([]);
    await approve(cli, approval);
    await program.ended();
  });

  it("becomes a scenario with the facts, and the evaluation finds the same", async () => {
    const { stdout } = await investigated("--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--note", "soon", "--json");
    const { runId } = JSON.parse(stdout.slice(stdout.indexOf("{\n"))) as { readonly runId: string };
    const [suite, out] = [cli.files.at("from-repo"), cli.files.at("from-repo-result")];
    expect(await cli.run(["eval", "add", runId, "--suite", suite, "--id", "bypass"])).toMatchObject({ code: 0 });
    const scenario = readFileSync(path.join(suite, "scenarios/bypass.yaml"), "utf8");
    expect(scenario).toMatch(/^input:\n {2}changes:\n {4}format: 1$/m);
    expect(scenario).toMatch(/^ {2}note: soon$/m);
    expect(await cli.run(["eval", "run", suite, "--out", out])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 of 1 trial passed"),
    });
  });

  it.each<[string, () => readonly string[], string]>([
    ["a folder without a repository", () => ["--repo", "/", "--from", "a", "--to", "b"], "The folder is not a git repository."],
    [
      "a missing folder",
      () => ["--repo", "/no/such/folder", "--from", "a", "--to", "b"],
      "The folder does not exist, or cannot be opened.",
    ],
    ["an unknown ref", () => ["--repo", repo, "--from", "v1.0.0", "--to", "v9"], '"v9" names no commit in the repository.'],
    [
      "swapped ends",
      () => ["--repo", repo, "--from", "v1.0.1", "--to", "v1.0.0"],
      "v1.0.0 is an ancestor of v1.0.1: are --from and --to swapped?",
    ],
    ["a ref that is an option of git", () => ["--repo", repo, "--from", "v1.0.0", "--to=--all"], '"--all" names no commit'],
    ["an unknown package", () => ["--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--package", "no"], "No folder and no manifest"],
    ["no end", () => ["--repo", repo, "--from", "v1.0.0"], "--repo needs both ends of the release"],
    ["an end without a repository", () => ["v1", "--from", "v1.0.0"], "--from needs a repository"],
    ["advisories without a repository", () => ["v1", "--advisories", "a.json"], "--advisories needs a repository"],
    [
      "missing advisories",
      () => ["--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--advisories", "/no/such"],
      "There is no file and no folder /no/such with advisories.",
    ],
    ["test results without a repository", () => ["v1", "--junit", "a.xml"], "--junit needs a repository: add --repo with its folder."],
    [
      "missing test results",
      () => ["--repo", repo, "--from", "v1.0.0", "--to", "v1.0.1", "--junit", "/no/such.xml"],
      "--junit: /no/such.xml cannot be read: there is no such file.",
    ],
    ["an alert beside it", () => ["--repo", repo, "--alert", "-"], "Name the release to investigate, or its repository"],
  ])("refuses %s with one sentence and exit code 2", async (_, flags, text) => {
    const { code, stdout, stderr } = await cli.run(["investigate", ...flags()]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(text);
    expect(stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
  });

  it("goes on if the base is on another branch, says so, and has less confidence", async () => {
    const { stdout } = await investigated("--repo", repo, "--from", "v0.9.9", "--to", "v1.0.1");
    expect(stdout).toContain("v0.9.9 is not an ancestor of v1.0.1, so the difference is that of two branches and the confidence is lower.");
    expect(stdout).toContain("confidence low");
    expect(stdout).toContain("The earlier release is on another branch");
  });

  it("says what it leaves out of a large change, and the run keeps within its limits", async () => {
    const { stdout } = await investigated("--repo", repo, "--from", "v1.0.1", "--to", "v1.1.0");
    expect(stdout).toMatch(/The change is large, so the evidence leaves out .*\d+ files/);
    expect(stdout).toMatch(/^Report on v1\.1\.0: (?:medium|high)/m);
  });

  it("leaves room beside a large change for the failed tests that fit, so the run keeps within its limits", async () => {
    const failure = `<testcase name="${"&quot;a&quot; ".repeat(40)}"><failure message="${"m".repeat(300)}"/></testcase>`;
    const junit = cli.files.file("many.xml", `<testsuite name="orders">${failure.repeat(60)}</testsuite>`);
    const ends = ["--repo", repo, "--from", "v1.0.1", "--to", "v1.1.0", "--note", "n".repeat(1000)];
    const { code, stdout, stderr } = await cli.run(["investigate", ...ends, "--junit", junit, "--no-wait"]);
    expect({ code, runId: stdout }).toEqual({ code: 0, runId: expect.stringMatching(/^rn_/) });
    expect(stderr).toMatch(/^The evidence names the first \d+ of 60 failed tests, and counts the others\.$/m);
  });
});

/** Returns the approval of the first call of a run's first round. */
const approvalOf = (runId: string): string => `ap_${runId}.1.0`;
