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
  waitingRun,
} from "./testing/cli-under-test.ts";
import { approve, follow, look } from "./testing/http-client.ts";

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

describe("toolbus runs", () => {
  it("lists the newest first, as a table and as the gateway's own page", async () => {
    for (let n = 1; n < 3; n++) await waitingRun(cli);
    const { runId } = await waitingRun(cli);
    const { code, stdout, stderr } = await cli.run(["runs", "list", "--limit", "2"]);
    expect(code).toBe(0);
    const [head = "", first = ""] = stdout.split("\n");
    expect(head).toMatch(/^RUN +STATUS +AGE +PROFILE +ABOUT$/);
    expect(first).toMatch(new RegExp(`^${runId} +awaiting_approval +\\d+ s +release-investigation +release ${RELEASE}$`));
    const [, cursor = ""] = /^There are more: toolbus runs list --limit 2 --cursor (\S+)\n$/.exec(stderr) ?? [];
    expect(await jsonOf(cli, ["runs", "list", "--limit", "2"])).toMatchObject({ runs: [{ runId }, {}], cursor });
    const rest = await jsonOf(cli, ["runs", "list", "--cursor", cursor]);
    expect(JSON.stringify(rest)).not.toContain(runId);
  });

  it("lists conversations, including those of investigations, page by page", async () => {
    const { runId } = await waitingRun(cli);
    const { conversationId } = await jsonOf(cli, ["runs", "show", runId]);
    const { code, stdout, stderr } = await cli.run(["conversations", "list", "--limit", "1"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^CONVERSATION +ACTIVE +PROFILE +AGE +RUNS\n/);
    expect(stdout).toMatch(new RegExp(`^${String(conversationId)} +${runId} +release-investigation +\\d+ s +1$`, "m"));
    const [, cursor = ""] = /^There are more: toolbus conversations list --limit 1 --cursor (\S+)\n$/.exec(stderr) ?? [];
    const rest = await jsonOf(cli, ["conversations", "list", "--cursor", cursor]);
    expect(JSON.stringify(rest)).not.toContain(conversationId);
  });

  it("delete a conversation when its run has ended, list what is kept, and need --yes if nobody can be asked", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    const { conversationId } = await jsonOf(cli, ["runs", "show", runId]);
    const id = String(conversationId);
    expect(await cli.run(["conversations", "delete", id])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("repeat this with --yes") as string,
    });
    expect(await cli.run(["conversations", "delete", id, "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The run ${runId} is active`) as string,
    });
    await approve(cli, approvalId);
    await follow(cli, runId);
    const { code, stdout } = await cli.run(["conversations", "delete", id, "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^  removed  its messages/m);
    expect(stdout).toMatch(/^  kept +its runs/m);
    expect(JSON.stringify(await jsonOf(cli, ["conversations", "list", "--limit", "100"]))).not.toContain(id);
    expect(await cli.run(["chat", "--conversation", id, "hello"])).toMatchObject({ code: 5 });
    expect((await cli.run(["runs", "show", runId])).stdout).toMatch(/^status +done$/m);
  });

  it("show what a run waits for, with a command that continues it, and its report at the end", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    const { stdout: waiting } = await cli.run(["runs", "show", runId]);
    expect(waiting).toContain(`\n  toolbus approvals approve ${approvalId}\n`);
    expect(waiting).not.toContain("not assessed");
    await approve(cli, approvalId);
    await follow(cli, runId);
    const { code, stdout } = await cli.run(["runs", "show", runId]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^status +done$/m);
    expect(stdout).toMatch(/^writes +file_risk_report happened, approved by approver:local: \S/m);
    expect(stdout).toMatch(/^Report on /m);
    expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(await jsonOf(cli, ["runs", "show", runId])).toMatchObject({ runId, status: "done", report: { subject: RELEASE } });
  });

  it("explain why a run waits, and what it did once it has ended, each with the command to try next", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    const waiting = (await cli.run(["runs", "why", runId])).stdout;
    expect(waiting).toMatch(/^user:local asked for it \d+ s ago, profile release-investigation: release /);
    expect(waiting.replaceAll("\n", " ")).toContain(`file_risk_report had to be decided by a person (high tier, ${approvalId})`);
    expect(waiting.replaceAll("\n", " ")).toMatch(
      /It waits for \d+ s now: file_risk_report waits for a person to decide \(high tier\): an approver with the scope approve:high or approve:\*, other than user:local, who asked for it\./,
    );
    expect((await cli.run(["runs", "show", runId])).stdout.replaceAll("\n", " ")).toContain(
      "an approver with the scope approve:high or approve:*",
    );
    expect(waiting).toContain(`\n  toolbus approvals show ${approvalId}  # look at it, then approve or deny\n`);
    await approve(cli, approvalId);
    await follow(cli, runId);
    const ended = (await cli.run(["runs", "why", runId])).stdout;
    expect(ended).toMatch(
      /file_risk_report was approved by approver:local\.\n[^]*file_risk_report succeeded after [^]*\nIt ended with an answer\.\n1 write happened: file_risk_report \(/,
    );
    expect(await jsonOf(cli, ["runs", "why", runId])).toMatchObject({
      runId,
      status: "done",
      waits: [],
      stands: [
        "It ended with an answer.",
        expect.stringMatching(/^1 write happened: file_risk_report \(.+\), approved by approver:local\.$/),
      ],
    });
  });

  it("watch a run to its end, and give each event as one line of JSON", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    await using program = cli.shell(`toolbus runs watch ${runId}`);
    await waitingIn(program);
    await approve(cli, approvalId);
    expect(await program.ended()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/✓ file_risk_report approved by approver:local\n[^]*Report on /),
    });

    const { code, stdout, stderr } = await cli.run(["runs", "watch", runId, "--json"]);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string; readonly sequence?: number });
    expect(events.filter(({ sequence }) => sequence !== undefined).map(({ sequence }) => sequence)).toEqual(
      (await follow(cli, runId)).map((_event, n) => n + 1),
    );
    expect(events.at(-1)?.type).toBe("run.completed");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("cancel a run, which its viewers see", async () => {
    const { runId } = await waitingRun(cli);
    await using watching = cli.shell(`toolbus runs watch ${runId}`);
    await waitingIn(watching);
    expect(await cli.run(["runs", "cancel", runId])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`toolbus runs watch ${runId}`),
    });
    expect(await watching.ended()).toMatchObject({ code: 1, stdout: expect.stringContaining("The run was cancelled by user:local.") });
    expect(await jsonOf(cli, ["runs", "cancel", runId])).toMatchObject({ status: "cancelled" });
  });

  it("answer what a run asks, by an option's number", async () => {
    const { runId } = await askingRun(cli);
    expect((await cli.run(["runs", "show", runId])).stdout).toMatch(
      /it asks: Which colour\?\n {2}1 {2}red\n {2}2 {2}blue\n {2}toolbus runs answer rn_/,
    );
    expect(await cli.run(["runs", "answer", runId, "2"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Answered: Which colour?"),
    });
    expect(await lastEvent(cli, runId)).toMatchObject({ type: "run.completed", text: expect.stringContaining("blue") });
    expectRefusal(await cli.run(["runs", "answer", runId, "red"]), 1, /does not wait for an answer \(done\)/);
  });

  it("answer with one document on request", async () => {
    const { runId } = await askingRun(cli);
    expect(await jsonOf(cli, ["runs", "answer", runId, "green"])).toMatchObject({ runId });
    expect(await lastEvent(cli, runId)).toMatchObject({ type: "run.completed", text: expect.stringContaining("green") });
  });
});

describe("toolbus approvals", () => {
  it("list waiting approvals and show the card, and never print the token", async () => {
    const { approvalId, runId } = await waitingRun(cli);
    expect((await cli.run(["approvals", "list", "--limit", "100"])).stdout).toMatch(
      new RegExp(`^${approvalId} +pending, \\d+ min left\\n +high tier, file_risk_report, for user:local, .* old\\n +File a`, "m"),
    );
    const shown = await cli.run(["approvals", "show", approvalId]);
    expect(shown).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^┌─ approval [^]*file_risk_report@1, a high-tier write[^]*^status +pending$/m),
    });
    expect(shown.stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
    const view = await jsonOf(cli, ["approvals", "show", approvalId]);
    expect(view).toMatchObject({ id: approvalId, runId, status: "pending", mayDecide: true });
    expect(view).not.toHaveProperty("decisionToken");
    expect(await jsonOf(cli, ["approvals", "list", "--limit", "100"])).toMatchObject({
      approvals: expect.arrayContaining([expect.objectContaining({ id: approvalId })]),
    });
  });

  it("approve only after somebody has seen the card: at a terminal, or with --yes", async () => {
    const { approvalId, runId } = await waitingRun(cli);
    expectRefusal(
      await cli.run(["approvals", "approve", approvalId]),
      2,
      /There is no terminal to ask at: read the card with "toolbus approvals show ap_\S+", then repeat this with --yes\./,
    );
    expect(await look(cli, approvalId)).toMatchObject({ status: "pending" });
    expect(await cli.run(["approvals", "approve", approvalId, "--yes", "--comment", "Checked"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Approved: File a \w+ risk report/),
      stderr: "",
    });
    expect(await lastEvent(cli, runId)).toMatchObject({ report: { filing: { status: "filed" } } });
    expectRefusal(await cli.run(["approvals", "approve", approvalId, "--yes"]), 1, /It is already decided: approved/);
    expect((await cli.run(["approvals", "show", approvalId])).stdout).toMatch(/^decision +approve by approver:local: Checked$/m);
  });

  it("deny a write, with the decided approval as one document", async () => {
    const { approvalId, runId } = await waitingRun(cli);
    expect(await jsonOf(cli, ["approvals", "deny", approvalId, "--yes", "--comment", "Not now"])).toMatchObject({
      id: approvalId,
      status: "rejected",
    });
    expect(await lastEvent(cli, runId)).toMatchObject({ report: { filing: { status: "denied" } } });
    const { stdout } = await cli.run(["runs", "list", "--outcome", "denied"]);
    expect(stdout).toMatch(new RegExp(`^${runId} +done: denied +`, "m"));
    expect(JSON.stringify(await jsonOf(cli, ["runs", "list", "--outcome", "filed"]))).not.toContain(runId);
  });

  it("send a write back, and it comes again as the approver requested", async () => {
    const { approvalId, runId } = await waitingRun(cli);
    expectRefusal(await cli.run(["approvals", "revise", approvalId, "--yes"]), 2, /say with --comment what should change/);
    expect(await cli.run(["approvals", "revise", approvalId, "--yes", "--comment", "Make it high"])).toMatchObject({ code: 0 });
    const again = (await follow(cli, runId, (event) => event.type === "call.held" && event.approvalId !== approvalId)).at(-1);
    expect(again).toMatchObject({ type: "call.held", effect: expect.stringContaining("high") });
  });
});
