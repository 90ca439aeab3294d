import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askingRun, type CliUnderTest, cliUnderTest, waitingRun } from "./testing/cli-under-test.ts";
import { approve, follow, heldApproval } from "./testing/http-client.ts";
import { taggedRepository } from "./testing/scratch.ts";

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

/** Returns the lines under "Examples:" in a command's help. */
async function examplesOf(...command: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await cli.run([...command, "--help"]);
  const lines = stdout.slice(stdout.indexOf("Examples:")).split("\n").slice(1);
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** Runs an example with its ids replaced by ids that exist, and returns its exit code. */
async function codeOf(line: string, ids: { readonly run?: string; readonly approval?: string } = {}): Promise<number | null> {
  const typed = line.replace(/ap_rn_\S+/, ids.approval ?? "$&").replace(/(?<!ap_)rn_\S+/, ids.run ?? "$&");
  await using program = cli.shell(typed);
  const { code, stdout } = await program.ended();
  expect(stdout).not.toMatch(/Unknown|is not the id of|is no id of/);
  return code;
}

describe("the examples in the help work as they are written", () => {
  it.each([
    ["conversations", "list"],
    ["runs", "list"],
    ["approvals", "list"],
    ["tools", "list"],
    ["tools", "show"],
    ["tools", "call"],
    ["tools", "pending"],
    ["tools", "tier"],
    ["era", "show"],
    ["era", "held"],
    ["era", "raise"],
    ["era", "resume"],
    ["broker", "policies"],
    ["keys"],
    ["doctor"],
  ])("%s %s", async (...command) => {
    // This system has no MCP server, and the commands say so. tests/e2e/cli-server-writes.test.ts runs them with one.
    for (const line of await examplesOf(...command)) expect(await codeOf(line)).toBe(line.includes(" --server ") ? 5 : 0);
  });

  it.each(["show", "why", "watch"])("runs %s", async (command) => {
    const { runId, approvalId } = await waitingRun(cli);
    await approve(cli, approvalId);
    for (const line of await examplesOf("runs", command)) expect(await codeOf(line, { run: runId })).toBe(0);
  });

  it("runs record and runs replay, which says with 2 that changed tools differ, and with 1 that a model has no key", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    await approve(cli, approvalId);
    await follow(cli, runId);
    cli.files.file("replays/tools.yaml", "- name: get_release_summary\n  description: Reads a release.\n");
    for (const line of [...(await examplesOf("runs", "record")), ...(await examplesOf("runs", "replay"))])
      expect([line, await codeOf(`cd '${cli.files.at("replays")}' && ${line}`, { run: runId })]).toEqual([
        line,
        line.includes("--tools") ? 2 : line.includes("--model") ? 1 : 0,
      ]);
  });

  it("runs cancel", async () => {
    for (const line of await examplesOf("runs", "cancel")) expect(await codeOf(line, { run: (await waitingRun(cli)).runId })).toBe(0);
  });

  it("runs answer", async () => {
    // Only a question of a tool can be declined. tests/e2e/mcp-questions.test.ts declines one.
    for (const line of await examplesOf("runs", "answer"))
      expect(await codeOf(line, { run: (await askingRun(cli)).runId })).toBe(line.includes("--decline") ? 2 : 0);
  });

  it.each(["show", "approve", "deny", "revise"])("approvals %s, some of which need a terminal", async (command) => {
    for (const line of await examplesOf("approvals", command)) {
      const asks = command !== "show" && !line.includes("--yes");
      expect(await codeOf(line, { approval: (await waitingRun(cli)).approvalId })).toBe(asks ? 2 : 0);
    }
  });

  it("chat, which needs a terminal for a dialogue", async () => {
    for (const line of await examplesOf("chat")) expect(await codeOf(line)).toBe(line === "toolbus chat" ? 2 : 0);
  });

  it("investigate, each followed to its report, whose severity is below the gate of the second", async () => {
    const repo = taggedRepository(cli.files.at("repo"), ["v1.4.0", "v1.5.0"]);
    const report = cli.files.file("report.xml", '<testsuite name="orders"><testcase name="pays"/></testsuite>');
    for (const line of await examplesOf("investigate")) {
      await using program = cli.shell(line.replace("--repo .", `--repo '${repo}'`).replace("report.xml", `'${report}'`));
      if (!line.includes("--alert")) {
        const [, runId = ""] = await program.says(/^Run (rn_\S+)\n/);
        await approve(cli, await heldApproval(cli, runId));
      }
      const { code } = await program.ended();
      expect(code).toBe(0);
    }
  });
});
