import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, lastEvent, waitingRun } from "./testing/cli-under-test.ts";

const TOOL = "file_risk_report";
/** Services read their key files every 2 s. */
const PATIENCE = { timeout: 15_000, interval: 100 };

describe("a critical write, on the command line", () => {
  let cli: CliUnderTest;
  beforeAll(async () => {
    cli = await cliUnderTest();
    const { code, stderr } = await cli.run(["tools", "tier", TOOL, "critical"]);
    if (code !== 0) throw new Error(`The tier was not raised: ${stderr}`);
  });
  afterAll(() => cli.stop());

  it("waits for a second person after the first, is not approved by one person twice, and then happens once", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    const bo = { TOOLBUS_APPROVER_KEY: String((await jsonOf(cli, ["keys", "add", "bo", "--role", "approver", "--show"]))["key"]) };
    const approve = (env = {}) => cli.run(["approvals", "approve", approvalId, "--ticket", "OPS-1", "--yes"], { env });
    const show = async (env = {}) => (await cli.run(["approvals", "show", approvalId], { env })).stdout;
    expect(await show()).toMatch(/^ticket +a critical write needs a ticket: name it with --ticket$/m);
    expectRefusal(await cli.run(["approvals", "approve", approvalId, "--yes"]), 2, /needs a ticket: name it with --ticket/);

    expect(await approve()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Approved: .* 1 of 2 approvers: it takes 1 more\.\n$/),
    });
    expect(await show()).toMatch(/^status +pending, 1 of 2 approvers$/m);
    expect(await show()).not.toMatch(/^ticket/m);

    expectRefusal(await approve(), 4, /may not decide .*already/);
    expect(await show()).toMatch(/^status +pending, 1 of 2 approvers$/m);

    await expect.poll(() => show(bo), PATIENCE).toMatch(/^status +pending/m);
    // One ticket is enough for all approvers.
    const second = await cli.run(["approvals", "approve", approvalId, "--yes"], { env: bo });
    expect(second).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Approved: /) });
    expect(second.stdout).not.toContain("it takes");
    expect(await lastEvent(cli, runId)).toMatchObject({ type: "run.completed", report: { filing: { status: "filed" } } });
    expect((await show()).match(/^decision +approve by .+$/gm)).toHaveLength(2);
    expect(await show()).toMatch(/^status +approved$/m);
  });
});
