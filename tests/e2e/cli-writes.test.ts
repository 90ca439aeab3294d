import type { WriteView } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf } from "./testing/cli-under-test.ts";

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest({ PIN_ON_FIRST_SIGHT: "false" });
});
afterAll(() => cli.stop());

const TOOL = "file_risk_report";
const shown = async (): Promise<WriteView> => (await jsonOf(cli, ["tools", "show", TOOL, "--diff"])) as unknown as WriteView;

describe("toolbus tools, for operators", () => {
  it("lists waiting writes, shows one in full with the command that enables it, and that command works", async () => {
    const pending = await cli.run(["tools", "pending"]);
    expect(pending).toMatchObject({ code: 0, stderr: "" });
    expect(pending.stdout).toMatch(
      /^TOOL .*\nfile_risk_report +1.* release +high +pending +nobody has enabled it\n\n.*tools show file_risk_report --diff\n$/,
    );

    const { stdout } = await cli.run(["tools", "show", TOOL, "--diff"]);
    expect(stdout).toMatch(/^file_risk_report\nenabled +nothing: its calls are refused\n/);
    expect(stdout).toMatch(/\neffect +File a \{severity\} risk report/);
    const [, line = ""] = /\n {2}toolbus (tools enable .*)\n$/.exec(stdout) ?? [];
    expect(line).toMatch(/^tools enable file_risk_report --hash sha256-\S+$/);

    expectRefusal(await cli.run(line.split(" ")), 2, /no terminal to ask at: check it with .*--hash and --yes/);
    const enabled = await cli.run([...line.split(" "), "--yes"]);
    expect(enabled).toMatchObject({ code: 0, stderr: "" });
    expect(enabled.stdout).toMatch(/^file_risk_report@\S+ of release is enabled; its calls have at least the tier high\.\n$/);
    expect(await shown()).toMatchObject({ enabled: { pinnedBy: "approver:local", enabled: true }, registered: [{ state: "enabled" }] });

    const none = await cli.run(["tools", "pending"]);
    expect(none).toMatchObject({ code: 0, stdout: "" });
    expect(none.stderr).toMatch(/^Nothing waits for an operator: ".*tools pending --all" shows/);
    expect(await jsonOf(cli, ["tools", "pending"])).toEqual({ writes: [] });
  });

  it("disables a write, and enables it again", async () => {
    expect((await cli.run(["tools", "disable", TOOL])).stdout).toMatch(/^file_risk_report is switched off/);
    const off = await shown();
    expect(off).toMatchObject({ enabled: { enabled: false }, registered: [{ state: "disabled" }] });
    const hash = off.registered[0]?.hash ?? "";
    expect(await jsonOf(cli, ["tools", "enable", TOOL, "--hash", hash, "--yes"])).toMatchObject({ enabled: { enabled: true } });
  });

  it("raises a tier, and lowers it only with an explicit option", async () => {
    expect((await cli.run(["tools", "tier", TOOL, "critical"])).stdout).toBe(
      "Every call of file_risk_report has at least the tier critical.\n",
    );
    expectRefusal(await cli.run(["tools", "tier", TOOL, "high"]), 1, /This lowers the tier of file_risk_report: --accept-weaker/);
    expect(await jsonOf(cli, ["tools", "tier", TOOL, "high", "--accept-weaker"])).toMatchObject({ enabled: { tier: "high" } });
    expectRefusal(await cli.run(["tools", "tier", TOOL, "low"]), 2, /tier "high", and a tier can only be raised/);
    expectRefusal(await cli.run(["tools", "tier", TOOL, "huge"]), 2, /"huge" is not a tier/);
  });

  it("says in one line what to type instead", async () => {
    expectRefusal(await cli.run(["tools", "enable", "file_risk_reprot"]), 5, /did you mean file_risk_report\?/);
    expectRefusal(await cli.run(["tools", "enable", TOOL, "--yes"]), 2, /--yes needs --hash/);
    expectRefusal(await cli.run(["tools", "enable", TOOL, "--hash", "sha256-x", "--yes"]), 5, /No such definition/);
    expectRefusal(await cli.run(["tools", "show", "get_release_summary", "--diff"]), 5, /There is no write/);
  });

  it("is refused for a key that is not an operator's at approvals, and says so when approvals is unavailable", async () => {
    const env = { TOOLBUS_APPROVER_KEY: "a-key-that-nobody-has" };
    expectRefusal(await cli.run(["tools", "pending"], { env }), 4, /key/);
    expectRefusal(await cli.run(["tools", "pending", "--approvals-url", "http://127.0.0.1:9"]), 3, /--approvals-url|bad port/);
  });
});
