import { type Json, keys, shardOf } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, waitingRun } from "./testing/cli-under-test.ts";

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

describe("toolbus approvals adopt, reseal and doctor", () => {
  it("say so if everything is genuine", async () => {
    const adopt = await cli.run(["approvals", "adopt"]);
    expect(adopt).toMatchObject({ code: 0, stdout: "" });
    expect(adopt.stderr).toMatch(/^Every document that approvals finds in the store is one that it stored\.\n$/);
    expect((await cli.run(["approvals", "reseal"])).stdout).toBe("0 sealed again, 0 left\n");
    expect(await checks()).toMatchObject({ writes: "ok", documents: "ok", security: "ok", "service keys": "ok" });
  });

  it("show a pending approval of a version before the seals with a warning and adopt it, and then it can be approved", async () => {
    const { approvalId } = await waitingRun(cli);
    await strip(approvalId);
    expectRefusal(await cli.run(["approvals", "approve", approvalId, "--yes"]), 1, /without a seal/);
    expect(await checks()).toMatchObject({ documents: "warn", security: "warn" });

    const shown = await cli.run(["approvals", "adopt"]);
    expect(shown.code).toBe(2);
    expect(shown.stdout).toContain(`approval  ${keys.approval(approvalId)}\n  unsealed: it has no seal\n`);
    expect(shown.stdout).toMatch(
      /\n {2}effect: File a \w+ risk report[^]*\nVersions before the seals wrote documents without one, and so does anybody else/,
    );
    expect(shown.stderr).toMatch(/^There is no terminal to ask at: .*--yes to adopt it\.\n$/);
    expect(await jsonOf(cli, ["approvals", "adopt"])).toMatchObject({ documents: [{ why: "unsealed" }], adopted: [] });

    expect((await cli.run(["approvals", "adopt", "--yes"])).stdout).toMatch(/\nadopted tb:approval:\S+\n$/);
    expect((await cli.run(["approvals", "approve", approvalId, "--yes"])).stdout).toMatch(/^Approved: /);
    expect(await checks()).toMatchObject({ documents: "ok" });
  });

  it("show forged documents, and never adopt them", async () => {
    const { approvalId } = await waitingRun(cli);
    await strip(approvalId, { status: "approved" });
    const { code, stdout } = await cli.run(["approvals", "adopt", "--yes"]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/unsealed: it has no seal; it is never adopted\n/)]);
    expect(stdout).not.toMatch(/\nadopted /);
  });

  it("are refused for a key that is not an operator's", async () => {
    const env = { TOOLBUS_APPROVER_KEY: "a-key-that-nobody-has" };
    for (const command of ["adopt", "reseal"]) expectRefusal(await cli.run(["approvals", command], { env }), 4, /key/);
  });
});

describe("toolbus tools remove", () => {
  it("removes a registration, and warns that a live worker makes it again", async () => {
    const asked = await cli.run(["tools", "remove", "file_risk_report", "--yes"]);
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    expect(asked.stdout.replaceAll("\n", " ")).toMatch(
      /^operations removes file_risk_report@1 of release .* stop it, or it registers the tool again when it next starts\. $/,
    );
    for (;;) {
      const { stdout } = await cli.run(["tools", "list"]);
      if (!stdout.includes("file_risk_report")) break;
    }
    expectRefusal(await cli.run(["tools", "remove", "file_risk_report", "--yes"]), 5, /There is no tool "file_risk_report"/);
  });
});

/** Removes the seal of an approval, as if a version without seals had written it. */
async function strip(approvalId: string, part: Readonly<Record<string, Json>> = {}): Promise<void> {
  const key = keys.approval(approvalId);
  const { documents } = await cli.state.read([key]);
  const { seal: _, ...content } = (documents[0]?.value ?? {}) as Readonly<Record<string, Json>>;
  const guards = [{ key, version: documents[0]?.version ?? 0 }];
  await cli.state.commit(shardOf(approvalId), { op: `strip:${approvalId}`, guards, put: [{ key, value: { ...content, ...part } }] });
}

/** Returns doctor's finding for each subject. */
async function checks(): Promise<Readonly<Record<string, string>>> {
  const { checks: all } = await jsonOf(cli, ["doctor"]);
  return Object.fromEntries((all as readonly { readonly name: string; readonly level: string }[]).map(({ name, level }) => [name, level]));
}
