import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  askingRun,
  type CliUnderTest,
  cliUnderTest,
  expectRefusal,
  jsonOf,
  lastEvent,
  RELEASE,
  waitingIn,
} from "./testing/cli-under-test.ts";
import { approve, call, follow, heldApproval } from "./testing/http-client.ts";

const LOOK_UP = `get_release_summary {"release_id": "${RELEASE}"}`;
const ESCAPE = /\u001b/;

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

describe("toolbus chat", () => {
  it("prints the answer to one message, and only that, on standard output", async () => {
    const { code, stdout, stderr } = await cli.run(["chat", LOOK_UP]);
    expect(code).toBe(0);
    expect(stdout).toContain(RELEASE);
    expect(stdout).not.toMatch(/→|✓/);
    expect(stderr).toMatch(
      /→ get_release_summary .*\n✓ get_release_summary ok, \d+ ms\n\(continue: toolbus chat --conversation cv_\S+\)\n$/,
    );
    expect(stdout + stderr).not.toMatch(ESCAPE);
  });

  it("takes its message from a pipe and prints nothing else when quiet", async () => {
    await using piped = cli.shell(`printf '%s' '${LOOK_UP}' | toolbus chat --quiet`);
    const { code, stdout } = await piped.ended();
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/→|go on:/);
    expect(stdout).toContain(RELEASE);
  });

  it("continues a conversation, which then contains both messages", async () => {
    const first = await jsonOf(cli, ["chat", LOOK_UP]);
    expect(first).toMatchObject({
      status: "completed",
      answer: expect.stringContaining(RELEASE),
      error: null,
      calls: [{ tool: "get_release_summary", status: "ok", arguments: expect.stringContaining(RELEASE) }],
      usage: { toolCalls: 1 },
    });
    const second = await jsonOf(cli, [
      "chat",
      "What can you do?",
      "--conversation",
      String(first["conversationId"]),
      "--if-active",
      "reject",
    ]);
    expect(second["conversationId"]).toBe(first["conversationId"]);
    expect(second["runId"]).not.toBe(first["runId"]);
    const { body } = await call(`${cli.gateway}/v1/conversations/${String(first["conversationId"])}/messages`, cli.user);
    const said = (body as { readonly messages: readonly { readonly role: string; readonly content: string }[] }).messages;
    expect(said.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([LOOK_UP, "What can you do?"]);
  });

  it("is refused by a busy conversation if it must not wait", async () => {
    const { runId, conversationId } = await askingRun(cli);
    expectRefusal(await cli.run(["chat", "hello", "--conversation", conversationId, "--if-active", "reject"]), 1, /./);
    expect(await jsonOf(cli, ["chat", "hello", "--conversation", conversationId, "--if-active", "interrupt"])).toMatchObject({
      status: "completed",
    });
    expect(await lastEvent(cli, runId)).toMatchObject({ type: "run.cancelled" });
  });

  it("says what is missing if there is no message and no terminal", async () => {
    expectRefusal(await cli.run(["chat"]), 2, /The message is empty: give it as an argument or on standard input\./);
    expectRefusal(await cli.run(["chat", "x".repeat(33_000)]), 2, /has 33000 characters, at most 32768 are accepted/);
  });

  it("names the existing profiles if it does not know one", async () => {
    expectRefusal(await cli.run(["chat", "hello", "--profile", "nonsense"]), 2, /"nonsense".*chat.*direct/);
  });

  it("with Ctrl-C cancels the run, reports its outcome and exits with 130", async () => {
    await using chat = cli.shell(`exec toolbus chat 'file_risk_report {"release_id": "${RELEASE}", "severity": "low", "findings": ["x"]}'`);
    const runId = await waitingIn(chat);
    chat.kill("SIGINT");
    const { code, stdout } = await chat.ended();
    expect(stdout).toMatch(/Cancelling; Ctrl-C again leaves it running\.\n[^]*The run was cancelled by user:local\./);
    expect(code).toBe(130);
    expect(await lastEvent(cli, runId)).toMatchObject({ type: "run.cancelled", by: "user:local" });
  });

  it("in a shell of a test is killed with the shell, so that a failed test leaves no process behind", async () => {
    const call = `file_risk_report {"release_id": "${RELEASE}", "severity": "low", "findings": ["x"]}`;
    await using chat = cli.shell(`toolbus chat '${call}'; echo Done.`);
    await waitingIn(chat);
    chat.kill("SIGKILL");
    // The command holds the shell's output open as long as it lives.
    expect(await chat.ended()).toMatchObject({ code: null, signal: "SIGKILL", stdout: expect.not.stringContaining("Done.") as string });
  });

  it("fails, and is not reported as interrupted, if somebody else cancels the run", async () => {
    await using chat = cli.shell(`toolbus chat 'file_risk_report {"release_id": "${RELEASE}", "severity": "low", "findings": ["x"]}'`);
    await cli.run(["runs", "cancel", await waitingIn(chat)]);
    expect(await chat.ended()).toMatchObject({ code: 1, stdout: expect.stringContaining("The run was cancelled by user:local.") });
  });
});

describe("toolbus investigate", () => {
  it("follows a release to its report and says how to approve a waiting write", async () => {
    await using program = cli.shell(`toolbus investigate ${RELEASE}`);
    const runId = await waitingIn(program);
    expect(program.stdout()).toContain(`Run ${runId}\n`);
    await approve(cli, `ap_${runId}.1.0`);
    const { code, stdout } = await program.ended();
    expect(stdout).toMatch(new RegExp(`Report on ${RELEASE}: (low|medium|high) {2}\\(filed as report-\\d+\\)\\n`));
    expect(stdout).toMatch(/^ {2}(low|medium|high) +\w/m);
    expect(stdout).toContain(`  ${runId}.0.0  get_release_summary  ok`);
    expect(code).toBe(0);
  });

  it("prints one document with the report and its own exit code, 2 from the requested severity on", async () => {
    const file = cli.files.at("report.json");
    await using program = cli.shell(`toolbus investigate ${RELEASE} --fail-on low --json > '${file}'`);
    const [, runId = ""] = await program.says(/^Run (rn_\S+)\n/);
    await approve(cli, await heldApproval(cli, runId));
    expect(await program.ended()).toMatchObject({ code: 2, stdout: expect.stringContaining(`toolbus approvals approve ap_${runId}.1.0`) });
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      runId,
      status: "completed",
      severity: expect.any(String),
      report: { filing: { status: "filed" } },
      exitCode: 2,
    });
  });

  it("succeeds if a person denies: the report is there, and says that it was not filed", async () => {
    await using program = cli.shell(`toolbus investigate ${RELEASE}`);
    const runId = await waitingIn(program);
    expect(await cli.run(["approvals", "deny", `ap_${runId}.1.0`, "--yes", "--comment", "Not now"])).toMatchObject({ code: 0 });
    expect(await program.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining("(not filed: denied)") });
  });

  it("reads an alert from a pipe and from a file", async () => {
    const alert = JSON.stringify({ labels: { alertname: "HighErrorRate", release: RELEASE }, status: "firing" });
    await using piped = cli.shell(`printf '%s' '${alert}' | toolbus investigate --alert - --quiet`);
    expect(await piped.ended()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Report on HighErrorRate: /) });
    const file = cli.files.file("alert.json", JSON.stringify({ alerts: [JSON.parse(alert)] }));
    expect(await jsonOf(cli, ["investigate", "--alert", file])).toMatchObject({
      status: "completed",
      report: { subject: "HighErrorRate" },
    });
  });

  it("fails if the release is unknown, and says why, as text and as the document", async () => {
    const { code, stdout, stderr } = await cli.run(["investigate", "v0.0.9", "--quiet"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toContain(`There is no release "v0.0.9". Known releases: ${RELEASE}.`);
    expect(stdout).toContain("Report on v0.0.9: not assessed");
    const asked = await cli.run(["investigate", "v0.0.9", "--json"]);
    expect(asked.code).toBe(1);
    const document: unknown = JSON.parse(asked.stdout);
    expect(document).toMatchObject({ status: "completed", severity: null, exitCode: 1, answer: expect.stringContaining("no release") });
  });

  it("prints only the run's id if it must not wait", async () => {
    const { code, stdout, stderr } = await cli.run(["investigate", RELEASE, "--no-wait"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^rn_[0-9a-f]{2}_\w{26}\n$/);
    const accepted = await jsonOf(cli, ["investigate", RELEASE, "--no-wait", "--note", "Look at the database."]);
    const [started] = await follow(cli, String(accepted["runId"]), (event) => event.type === "run.started");
    expect(started).toMatchObject({ input: { releaseId: RELEASE, note: "Look at the database." } });
  });

  it("leaves the run running when --timeout is over and when Ctrl-C is pressed, and says how to follow it", async () => {
    const late = await cli.run(["investigate", RELEASE, "--timeout", "3s"]);
    expect(late.code).toBe(124);
    const [, runId = ""] = /The run continues: toolbus runs watch (rn_\S+)\nThe --timeout has passed/.exec(late.stderr) ?? [];
    expect(await jsonOf(cli, ["runs", "show", runId])).toMatchObject({ endedAt: null });

    await using left = cli.shell(`exec toolbus investigate ${RELEASE}`);
    const leftId = await waitingIn(left);
    left.kill("SIGINT");
    expect(await left.ended()).toMatchObject({
      code: 130,
      stdout: expect.stringMatching(/The run continues: toolbus runs watch rn_\S+\nInterrupted\.\n$/),
    });
    expect(await jsonOf(cli, ["runs", "show", leftId])).toMatchObject({ status: "awaiting_approval" });
  });

  it("fails when the run failed or was cancelled", async () => {
    await using program = cli.shell(`toolbus investigate ${RELEASE}`);
    const runId = await waitingIn(program);
    await cli.run(["runs", "cancel", runId]);
    expect(await program.ended()).toMatchObject({ code: 1, stdout: expect.stringContaining("The run was cancelled by user:local.") });
  });
});
