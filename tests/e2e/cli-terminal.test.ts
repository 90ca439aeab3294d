import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, lastEvent, RELEASE, TOOLBUS, waitingIn, waitingRun } from "./testing/cli-under-test.ts";
import { look } from "./testing/http-client.ts";
import { type Program, startCommand } from "./testing/program.ts";

// The tests use `script` of util-linux, which gives the command a terminal. They are skipped where `script` is another version, because its flags
// differ.
const hasTerminal =
  process.platform === "linux" && /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
/** The prompt, at the moment when readline waits for input. */
const PROMPT = /> \u001b\[\d+G$/;
const WRITE = `file_risk_report {"release_id": "${RELEASE}", "severity": "low", "findings": ["x"]}`;

describe.skipIf(!hasTerminal)(`toolbus at a terminal${hasTerminal ? "" : " (skipped: it takes script of util-linux)"}`, () => {
  let cli: CliUnderTest;
  beforeAll(async () => {
    cli = await cliUnderTest();
  });
  afterAll(() => cli.stop());

  function atTerminal(args: string, env: Readonly<Record<string, string>> = {}): Program {
    const command = `exec '${process.execPath}' '${TOOLBUS}' ${args}`;
    return startCommand("script", ["--quiet", "--flush", "--return", "--command", command, "/dev/null"], {
      typedTo: true,
      env: { SHELL: "/bin/sh", TERM: "xterm", ...cli.env, ...env },
    });
  }

  it("talks in one conversation until Ctrl-D, and says how to continue it", async () => {
    await using chat = atTerminal("chat");
    await chat.says(PROMPT);
    chat.type(`get_release_summary {"release_id": "${RELEASE}"}`);
    await chat.says(/get_release_summary answered:[^]*> \u001b\[\d+G$/);
    chat.type("/context");
    await chat.says(/so far {8}4 messages, 1 run, 1 tool call[^]*> \u001b\[\d+G$/);
    chat.press(CTRL_D);
    const { code, stdout } = await chat.ended();
    expect(code).toBe(0);
    expect(stdout).toMatch(/Continue with: toolbus chat --conversation cv_\S+/);
    expect(stdout).toMatch(/The offline rules answer, not a language model: to set one, start Toolbus with ANTHROPIC_API_KEY/);
  });

  it("asks before it disables a write, and leaves it enabled without a yes", async () => {
    await using disable = atTerminal("tools disable file_risk_report");
    await disable.says(/enabled +version 1 of release[^]*switch file_risk_report off\? y\/N /);
    disable.type("n");
    expect(await disable.ended()).toMatchObject({ code: 1, stdout: expect.stringMatching(/Nothing was switched off/) });
    await using list = atTerminal("tools pending --all");
    expect(await list.ended()).toMatchObject({ code: 0, stdout: expect.stringMatching(/file_risk_report.* enabled /) });
  });

  it("asks the model's question in place, and accepts an option's number as the answer", async () => {
    await using chat = atTerminal(`chat 'ask_user {"question": "Which colour?", "options": ["red", "blue"]}'`);
    await chat.says(/Which colour\?\s+1 {2}red\s+2 {2}blue[^]*your answer > /);
    chat.type("2");
    expect(await chat.ended()).toMatchObject({ code: 0, stdout: expect.stringMatching(/answer: "blue"/) });
  });

  it("cancels the run with Ctrl-C and exits with the next one, at the prompt", async () => {
    await using chat = atTerminal("chat");
    await chat.says(PROMPT);
    chat.type(WRITE);
    const runId = await waitingIn(chat);
    chat.press(CTRL_C);
    await chat.says(/The run was cancelled by user:local\.[^]*> \u001b\[\d+G$/);
    expect(await lastEvent(cli, runId)).toMatchObject({ type: "run.cancelled" });
    chat.press(CTRL_C);
    expect(await chat.ended()).toMatchObject({
      code: 130,
      stdout: expect.stringMatching(/Continue with: toolbus chat --conversation cv_/),
    });
  });

  it("shows the age of running calls", async () => {
    await using chat = atTerminal(`chat '${WRITE}'`);
    await chat.says(/file_risk_report [1-9]\d* s, waits for a person/);
  });

  it("shows the card, and approves only after a yes", async () => {
    const { approvalId, runId } = await waitingRun(cli);
    await using refused = atTerminal(`approvals approve ${approvalId}`);
    await refused.says(/file_risk_report@1, a high-tier write[^]*approve it\? y\/N /);
    refused.type("");
    expect(await refused.ended()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Nothing was decided; the approval still waits."),
    });
    expect(await look(cli, approvalId)).toMatchObject({ status: "pending" });

    await using agreed = atTerminal(`approvals approve ${approvalId}`);
    await agreed.says(/approve it\? y\/N /);
    agreed.type("y");
    expect(await agreed.ended()).toMatchObject({ code: 0, stdout: expect.stringMatching(/Approved: File a /) });
    expect(await lastEvent(cli, runId)).toMatchObject({ report: { filing: { status: "filed" } } });
  });

  it("asks for the change before it sends a write back", async () => {
    const { approvalId } = await waitingRun(cli);
    await using program = atTerminal(`approvals revise ${approvalId}`);
    await program.says(/what should change\? /);
    program.type("Make it high");
    await program.says(/revise it\? y\/N /);
    program.type("yes");
    expect(await program.ended()).toMatchObject({ code: 0 });
    expect(await look(cli, approvalId)).toMatchObject({ status: "revision_requested" });
  });

  it("has colour there, and none with NO_COLOR, --no-color or a terminal without colours", async () => {
    const colour = /\u001b\[\d+m/;
    await using plain = atTerminal("doctor");
    expect((await plain.ended()).stdout).toMatch(colour);
    for (const [args, env] of [
      ["doctor", { NO_COLOR: "1" }],
      ["doctor --no-color", {}],
      ["doctor", { TERM: "dumb" }],
    ] as const) {
      await using program = atTerminal(args, env);
      expect((await program.ended()).stdout).not.toMatch(colour);
    }
  });

  it("asks for the ticket that a critical write needs, and decides nothing without it", async () => {
    expect((await cli.run(["tools", "tier", "file_risk_report", "critical"])).code).toBe(0);
    const { approvalId } = await waitingRun(cli);
    for (const ticket of ["", "OPS-1"]) {
      await using approve = atTerminal(`approvals approve ${approvalId}`);
      await approve.says(/ticket \(a critical write needs a ticket\): /);
      approve.type(ticket);
      await approve.says(/approve it\? y\/N /);
      approve.type("y");
      const { code, stdout } = await approve.ended();
      expect([code, stdout]).toEqual(
        ticket === ""
          ? [2, expect.stringContaining("A critical write needs a ticket: name it with --ticket.")]
          : [0, expect.stringMatching(/Approved: .* 1 of 2 approvers: it takes 1 more\./)],
      );
    }
  });
});
