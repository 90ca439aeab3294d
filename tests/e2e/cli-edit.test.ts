import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, waitingRun } from "./testing/cli-under-test.ts";
import { follow } from "./testing/http-client.ts";

/** Services read their key files every 2 s. */
const PATIENCE = { timeout: 15_000, interval: 100 };
const EDIT = ["--edit", '{"severity": "low", "findings": ["A person looked at it."]}'];

describe("a write that is approved with other arguments, on the command line", () => {
  let cli: CliUnderTest;
  beforeAll(async () => {
    cli = await cliUnderTest();
  });
  afterAll(() => cli.stop());

  it("is executed with exactly those, and the approval, the run and its events say what was changed", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    const before = await jsonOf(cli, ["approvals", "show", approvalId]);
    const asked = before["arguments"] as { readonly release_id: string };
    const approved = await cli.run(["approvals", "approve", approvalId, ...EDIT, "--yes"]);
    expect(approved).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Approved: .*\n {2}findings: .* → \["A person looked at it\."\]\n/),
    });
    expect(approved.stdout).toMatch(/^ {2}severity: "\w+" → "low"$/m);

    const events = await follow(cli, runId);
    expect(events.at(-1)).toMatchObject({
      type: "run.completed",
      report: { filing: { status: "filed" } },
      writes: { happened: 1, latest: [{ tool: "file_risk_report", status: "ok", edited: true, effect: expect.stringContaining("low") }] },
    });
    const executed = { ...asked, severity: "low", findings: ["A person looked at it."] };
    expect(await jsonOf(cli, ["approvals", "show", approvalId])).toMatchObject({
      status: "approved",
      arguments: executed,
      edited: { asked: { arguments: asked }, changes: [{ name: "findings" }, { name: "severity", after: '"low"' }] },
    });
    expect(events.find(({ type }) => type === "call.decided")).toMatchObject({
      outcome: "approved",
      changes: [{ name: "findings" }, { name: "severity", after: '"low"' }],
    });
    expect((await cli.run(["approvals", "show", approvalId])).stdout).toMatch(/! Changed by .*: "severity" was "\w+" and is "low"\./);
  });

  it("is refused with one sentence if the edit is no object, changes nothing, or breaks the schema, and still waits", async () => {
    const { approvalId } = await waitingRun(cli);
    const approve = (edit: string) => cli.run(["approvals", "approve", approvalId, "--yes", "--edit", edit]);
    expectRefusal(await approve("severity=low"), 2, /--edit is not a JSON object/);
    expectRefusal(await approve("{}"), 2, /names only values that the write has already/);
    const broken = await approve('{"severity": "enormous"}');
    expect(broken.code).not.toBe(0);
    expect(broken.stderr).toMatch(/break the schema of "file_risk_report"/);
    expect((await cli.run(["approvals", "show", approvalId])).stdout).toMatch(/^status +pending/m);
  });

  it("of the tier critical makes the approval of the first person void, and needs both people for the new arguments", async () => {
    expect(await cli.run(["tools", "tier", "file_risk_report", "critical"])).toMatchObject({ code: 0 });
    const { runId, approvalId } = await waitingRun(cli);
    const bo = { TOOLBUS_APPROVER_KEY: String((await jsonOf(cli, ["keys", "add", "bo", "--role", "approver", "--show"]))["key"]) };
    const approve = (more: readonly string[], env = {}) => cli.run(["approvals", "approve", approvalId, "--yes", ...more], { env });
    const show = async (env = {}) => (await cli.run(["approvals", "show", approvalId], { env })).stdout;
    expect((await approve(["--ticket", "OPS-1"])).stdout).toMatch(/1 of 2 approvers/);

    await expect.poll(() => show(bo), PATIENCE).toMatch(/^status +pending, 1 of 2 approvers$/m);
    // The edit makes the first approval void, together with that approval's ticket. So the edit needs a ticket of its own.
    expect(await approve(EDIT, bo)).toMatchObject({ code: 2, stderr: expect.stringMatching(/needs a ticket/) });
    expect((await approve([...EDIT, "--ticket", "OPS-2"], bo)).stdout).toMatch(/1 of 2 approvers: it takes 1 more/);
    expect(await show()).toMatch(/^decision +approve by .+: \(of other arguments, so it does not count/m);
    expect(await show()).toMatch(/! Changed by bo: "severity" was "\w+" and is "low"\./);

    expect(await approve([])).toMatchObject({ code: 0, stdout: expect.not.stringContaining("it takes") });
    expect((await follow(cli, runId)).at(-1)).toMatchObject({
      type: "run.completed",
      writes: { latest: [{ status: "ok", edited: true, effect: expect.stringContaining("low"), approvedBy: ["bo", expect.any(String)] }] },
    });
  });
});
