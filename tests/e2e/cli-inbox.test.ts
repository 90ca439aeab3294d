import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, TOOLBUS, waitingRun } from "./testing/cli-under-test.ts";
import { approve } from "./testing/http-client.ts";
import { startProgram } from "./testing/program.ts";

describe("the inbox of approvals, on the command line", () => {
  let cli: CliUnderTest;
  beforeAll(async () => void (cli = await cliUnderTest()));
  afterAll(() => cli.stop());

  it("lists what waits with its whole effect, and afterwards how it ended; the beginning of an id is enough", async () => {
    const empty = await cli.run(["approvals", "list"]);
    expect(empty).toMatchObject({ code: 0, stdout: "", stderr: expect.stringMatching(/^Nothing waits for a decision: /) });
    const { approvalId } = await waitingRun(cli);
    const waits = await cli.run(["approvals", "list"]);
    expect(waits.stdout).toMatch(new RegExp(`^${approvalId}  pending, 1[45] min left\n  high tier, file_risk_report, for user:local, `));
    expect(waits.stdout).not.toContain("…");

    const beginning = approvalId.slice(0, -4);
    expect((await cli.run(["approvals", "show", beginning])).stdout).toContain(approvalId);
    expectRefusal(await cli.run(["approvals", "show", "ap_rn_00_7ZZ"]), 5, /No approval begins with/);
    expect(await cli.run(["approvals", "approve", beginning, "--yes"])).toMatchObject({ code: 0 });

    expect((await cli.run(["approvals", "list"])).stdout).toBe("");
    const all = await cli.run(["approvals", "list", "--all", "--since", "1h", "--tool", "file_risk_report"]);
    expect(all.stdout).toMatch(new RegExp(`^${approvalId}  approved by approver:local \\d+ s ago\n`));
    const rejected = await cli.run(["approvals", "list", "--status", "rejected", "--requester", "user:local"]);
    expect(rejected).toMatchObject({ code: 0, stdout: "", stderr: "No approval is rejected (for user:local).\n" });
    expectRefusal(await cli.run(["approvals", "list", "--since", "yesterday"]), 2, /span such as 30m, 2h or 3d/);
  });

  it("names the matches if several approvals begin so", async () => {
    const [one, other] = [await waitingRun(cli), await waitingRun(cli)];
    const same = Array.from(one.approvalId).findIndex((letter, n) => letter !== other.approvalId[n]);
    const { code, stderr } = await cli.run(["approvals", "deny", one.approvalId.slice(0, Math.max(6, same)), "--yes"]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(one.approvalId) });
    for (const { approvalId } of [one, other]) expect(await cli.run(["approvals", "deny", approvalId, "--yes"])).toMatchObject({ code: 0 });
  });

  it("is watched: a line for each new approval and for each end, until Ctrl-C", async () => {
    await using watching = startProgram(TOOLBUS, ["approvals", "watch", "--json"], { env: cli.env });
    await expect.poll(watching.stderr, { timeout: 60_000 }).toContain("New approvals and their ends appear here");
    const { approvalId } = await waitingRun(cli);
    await watching.says(new RegExp(`"event":"approval.held".*"id":"${approvalId}"`));
    await approve(cli, approvalId);
    await watching.says(new RegExp(`"event":"approval.ended".*"id":"${approvalId}"`));
    watching.kill("SIGINT");
    expect((await watching.ended()).code).toBe(130);
  });
});
