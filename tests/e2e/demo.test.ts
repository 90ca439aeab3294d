import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOLBUS } from "./testing/cli-under-test.ts";
import { DEMO, type Ended, runProgram, startProgram } from "./testing/program.ts";
import {
  BAD_METRICS,
  emptyRepository,
  FAILING_JUNIT,
  filedIn,
  FINE_METRICS,
  PASSING_JUNIT,
  scratch,
  type Scratch,
  taggedRepository,
} from "./testing/scratch.ts";

describe("the demo", () => {
  let files: Scratch;
  let repo = "";
  beforeAll(() => {
    files = scratch();
    repo = taggedRepository(files.at("repo"));
  });
  afterAll(() => files.remove());

  const release = (): string[] => ["--repo", repo, "--from", "v1", "--to", "v2"];
  const demo = (data: string, ...flags: string[]): Promise<Ended> => runProgram(DEMO, [...release(), "--data", data, ...flags]);
  const clean = (): string[] => ["--junit", files.file("junit.xml", PASSING_JUNIT), "--metrics", files.file("fine.json", FINE_METRICS)];
  const failing = (): string[] => ["--junit", files.file("failing.xml", FAILING_JUNIT)];
  const alarming = (): string[] => ["--junit", files.file("junit.xml", PASSING_JUNIT), "--metrics", files.file("bad.json", BAD_METRICS)];

  it("shows the card, files the report once and names its severity when the approver says yes", async () => {
    const data = files.data();
    const { code, stdout, stderr } = await demo(data, "--approve");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [report, ...more] = filedIn(data);
    expect(report).toMatchObject({ release_id: "v2", severity: "low" });
    expect(more).toEqual([]);
    expect(stdout).toMatch(/┌─ approval/);
    expect(stdout).toContain("File a low risk report for release v2");
    expect(stdout).toContain("requester  user:local");
    expect(stdout).toMatch(/approved by approver:local/);
    expect(stdout).toContain(`Risk report for v2: low  (filed as ${report?.report_id})`);
  });

  it("prints one JSON document and nothing else with --json", async () => {
    const data = files.data();
    const { code, stdout, stderr } = await demo(data, "--json", "--approve");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const document = JSON.parse(stdout) as Record<string, unknown>;
    const [report] = filedIn(data);
    expect(Object.keys(document).toSorted()).toEqual([
      "answer",
      "approvals",
      "data",
      "error",
      "evidence",
      "exitCode",
      "filing",
      "findings",
      "release",
      "runId",
      "severity",
      "status",
      "usage",
      "verdict",
    ]);
    expect(document).toMatchObject({
      status: "completed",
      release: { id: "v2", source: "git" },
      severity: "low",
      findings: report?.findings,
      filing: { status: "filed", reportId: report?.report_id },
      approvals: [{ decision: "approve", effect: expect.stringContaining("low") }],
      evidence: [
        { tool: "get_release_summary", status: "ok" },
        { tool: "get_code_changes", status: "ok" },
        { tool: "file_risk_report", status: "ok" },
      ],
      error: null,
      data,
      exitCode: 0,
    });
    expect(document["answer"]).toContain(report?.report_id);
  });

  it("is a command of toolbus as well: one document of JSON and nothing else, whatever the exit code", async () => {
    const data = files.data();
    const toolbus = (...flags: string[]): Promise<Ended> =>
      runProgram(TOOLBUS, ["demo", ...release(), ...failing(), "--data", data, "--json", ...flags]);
    const pending = await toolbus();
    expect({ code: pending.code, stderr: pending.stderr }).toEqual({ code: 3, stderr: "" });
    const { runId } = JSON.parse(pending.stdout) as { readonly runId: string };
    const { code, stdout, stderr } = await toolbus("--approve", "--fail-on", "medium");
    expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ runId, status: "completed", severity: "medium", data, exitCode: 2 });
    expect(filedIn(data)).toHaveLength(1);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("started by toolbus and ended by %s, says how to continue and exits with 130", async (signal) => {
    const data = files.data();
    await using interrupted = startProgram(TOOLBUS, ["demo", ...release(), "--data", data, "--approve"]);
    await interrupted.says(/^Run (rn_\S+)/m);
    interrupted.kill(signal);
    const { code, stderr } = await interrupted.ended();
    expect({ code, stderr }).toEqual({ code: 130, stderr: "Interrupted. Run the same command to continue.\n" });
  });

  it.each([
    { severity: "low", level: "medium", code: 0 },
    { severity: "medium", level: "medium", code: 2 },
    { severity: "medium", level: "high", code: 0 },
    { severity: "high", level: "high", code: 2 },
  ])("exits with $code for severity $severity and --fail-on $level", async ({ severity, level, code }) => {
    const measured = severity === "low" ? clean() : severity === "high" ? alarming() : failing();
    const data = files.data();
    const ended = await demo(data, "--json", "--approve", "--fail-on", level, ...measured);
    expect(JSON.parse(ended.stdout)).toMatchObject({ severity, exitCode: code });
    expect(ended.code).toBe(code);
    expect(filedIn(data).map((report) => report.severity)).toEqual([severity]);
  });

  it("completes and files nothing when the approver says no, and says so", async () => {
    const data = files.data();
    const { code, stdout, stderr } = await demo(data, "--deny");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("(not filed: denied)");
    expect(stdout).toContain("is not filed, it was denied");
    expect(filedIn(data)).toEqual([]);
  });

  it("leaves the approval pending if nobody can be asked, and the same command with --approve continues that run", async () => {
    const data = files.data();
    const asked = await demo(data);
    expect({ code: asked.code, stderr: asked.stderr }).toEqual({ code: 3, stderr: "" });
    expect(asked.stdout).toContain("File a low risk report for release v2");
    expect(asked.stdout).toContain("the approval stays pending");
    expect(filedIn(data)).toEqual([]);
    const runId = /^Run (rn_\S+)/m.exec(asked.stdout)?.[1];

    const pending = await demo(data, "--json");
    expect(pending.code).toBe(3);
    expect(JSON.parse(pending.stdout)).toMatchObject({ status: "pending", runId, exitCode: 3, approval: { decision: null } });

    const approved = await demo(data, "--approve");
    expect({ code: approved.code, stderr: approved.stderr }).toEqual({ code: 0, stderr: "" });
    expect(approved.stdout).toContain(`Continuing run ${runId}`);
    expect(filedIn(data)).toHaveLength(1);

    const again = await demo(data, "--approve");
    expect(again.code).toBe(0);
    expect(again.stdout).not.toContain("Continuing run");
    expect(filedIn(data), "does not continue a run that has ended: the next run files its own report").toHaveLength(2);
  });

  it("continues the same run after a SIGKILL and files once", async () => {
    const data = files.data();
    await using killed = startProgram(DEMO, [...release(), "--data", data, "--approve"]);
    const runId = (await killed.says(/^Run (rn_\S+)/m))[1];
    killed.kill("SIGKILL");
    expect((await killed.ended()).signal).toBe("SIGKILL");

    const { code, stdout, stderr } = await demo(data, "--approve");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Continuing run ${runId}`);
    expect(filedIn(data)).toHaveLength(1);
  });

  it("ends with a sentence and 130 when it is interrupted, and continues afterwards", async () => {
    const data = files.data();
    await using interrupted = startProgram(DEMO, [...release(), "--data", data, "--approve"]);
    const runId = (await interrupted.says(/^Run (rn_\S+)/m))[1];
    interrupted.kill("SIGINT");
    const { code, stderr } = await interrupted.ended();
    expect({ code, stderr }).toEqual({ code: 130, stderr: "Interrupted. Run the same command to continue.\n" });

    const ended = await demo(data, "--approve");
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain(`Continuing run ${runId}`);
    expect(filedIn(data)).toHaveLength(1);
  });

  it("treats other measurements of a release as another investigation", async () => {
    const data = files.data();
    expect((await demo(data)).code).toBe(3);
    const { code, stdout } = await demo(data, "--json", "--approve", ...alarming());
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ severity: "high" });
    expect(filedIn(data).map((report) => report.severity)).toEqual(["high"]);
  });

  it("finds no release in a folder without git and says so, without the recorded one", async () => {
    mkdirSync(files.at("plain"), { recursive: true });
    const { code, stdout, stderr } = await runProgram(DEMO, ["--repo", files.at("plain"), "--data", files.data(), "--approve", "--json"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(`${files.at("plain")} is not a git repository. Name the folder of a git repository.\n`);
  });

  it("finds no release in a repository without commits and says so", async () => {
    const { code, stderr } = await runProgram(DEMO, ["--repo", emptyRepository(files.at("empty")), "--data", files.data(), "--approve"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "The repository has no commits. Commit something first.\n" });
  });
});
