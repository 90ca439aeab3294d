import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, waitingRun } from "./testing/cli-under-test.ts";
import { follow } from "./testing/http-client.ts";

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
    expect((await cli.run(["approvals", "show", approvalId])).stdout).toMatch(/CHANGED by .*: severity: "\w+" → "low"/);
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
});
