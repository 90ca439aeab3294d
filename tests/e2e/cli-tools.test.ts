import { EVENT_CONTENT_CHARS } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, RELEASE, waitingIn } from "./testing/cli-under-test.ts";

const NO_RUN = `rn_00_${"0".repeat(26)}`;
const NO_CONVERSATION = `cv_00_${"0".repeat(26)}`;
/** No process listens on this address, because a port this low is never assigned by chance. */
const NOWHERE = "http://127.0.0.1:2";

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

const REPORT = `{"release_id": "${RELEASE}", "severity": "low", "findings": ["x"]}`;

describe("toolbus tools", () => {
  it("list and show the registered tools", async () => {
    const listed = await cli.run(["tools", "list"]);
    expect(listed.stdout).toMatch(/^TOOL +VERSION +KIND +STATE +SEEN +DOES\n/);
    expect(listed.stdout).toMatch(/^get_release_summary +1 +read +ready +/m);
    expect(listed.stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(await jsonOf(cli, ["tools", "list"])).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: "file_risk_report" })]),
    });
    const shown = await cli.run(["tools", "show", "get_release_summary"]);
    expect(shown.stdout).toMatch(/^ {2}release_id: string\n[^]*toolbus tools call get_release_summary '\{"release_id":"v1\.5\.0"\}'\n$/m);
    expect(await jsonOf(cli, ["tools", "show", "get_release_summary@1"])).toMatchObject({ tools: [{ version: "1" }] });
  });

  it("suggest a call of each tool that works when it is copied", async () => {
    const { tools } = (await jsonOf(cli, ["tools", "list"])) as { readonly tools: readonly { readonly name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual([
      "file_risk_report",
      "get_code_changes",
      "get_past_releases",
      "get_release_summary",
      "get_test_details",
      "get_traces",
    ]);
    // The API of this test has no evidence of its release, so the toolset has no example of these tools.
    for (const { name } of tools.filter((tool) => ["file_risk_report", "get_release_summary"].includes(tool.name))) {
      const shown = await cli.run(["tools", "show", name]);
      const line = shown.stdout.split("\n").find((one) => one.startsWith("  toolbus tools call ")) ?? "";
      await using program = cli.shell(`${line} --json`);
      if (name === "file_risk_report") await cli.run(["approvals", "approve", `ap_${await waitingIn(program)}.1.0`, "--yes"]);
      expect(await program.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining('"status": "ok"') });
    }
  });

  it("call one over the bus and print its whole result, which is longer than a stream shows", async () => {
    const { code, stdout } = await cli.run(["tools", "call", "get_release_summary", `{"release_id": "${RELEASE}"}`]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ release_id: RELEASE, change_count: 200 });
    expect(stdout.length).toBeGreaterThan(EVENT_CONTENT_CHARS);
    const called = await jsonOf(cli, ["tools", "call", "get_release_summary", `{"release_id": "${RELEASE}"}`]);
    expect(called).toMatchObject({ tool: "get_release_summary", status: "ok", content: stdout.trimEnd() });
  });

  it("say how to approve a write, wait for it, and report the real outcome", async () => {
    await using program = cli.shell(`toolbus tools call file_risk_report '${REPORT}'`);
    const runId = await waitingIn(program);
    await cli.run(["approvals", "deny", `ap_${runId}.1.0`, "--yes"]);
    expect(await program.ended()).toMatchObject({ code: 1, stdout: expect.stringMatching(/✗ file_risk_report denied, .*\n.*\n$/) });
  });

  it("report a failed call with its own reason", async () => {
    const failed = await cli.run(["tools", "call", "get_release_summary", '{"release_id": "v0"}', "--quiet"]);
    expect(failed).toMatchObject({ code: 1, stdout: "", stderr: `There is no release "v0". Known releases: ${RELEASE}.\n` });
    expect(await jsonOf(cli, ["tools", "call", "get_release_summary", '{"release_id": "v0"}'], 1)).toMatchObject({ status: "error" });
    expect((await cli.run(["tools", "call", "get_release_summary", "--quiet"])).stderr).toMatch(/release_id/);
  });

  it("say how an operator lets a write through that is switched off", async () => {
    await cli.run(["tools", "disable", "file_risk_report", "--yes"]);
    const refused = await cli.run(["tools", "call", "file_risk_report", REPORT]);
    await cli.run(["tools", "enable", "file_risk_report", "--yes", "--disabled"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/ is switched off by an operator\. .*\nTo enable it: toolbus tools enable file_risk_report\n$/);
  });

  it("propose the intended name", async () => {
    const words =
      /^There is no tool "get_release_sumary": did you mean get_release_summary\? "toolbus tools list" shows the registered tools\.$/m;
    expectRefusal(await cli.run(["tools", "show", "get_release_sumary"]), 5, words);
    expectRefusal(await cli.run(["tools", "call", "get_release_sumary", "{}"]), 5, words);
  });
});

describe("toolbus doctor", () => {
  it("finds everything well", async () => {
    const { code, stdout } = await cli.run(["doctor"]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).not.toMatch(/^(warn|fail)/m);
    for (const name of ["node", "data directory", "gateway", "approvals", "clock", "user key", "approver key", "tools", "model"]) {
      expect(stdout).toMatch(new RegExp(`^ok {4}${name} `, "m"));
    }
    expect(await jsonOf(cli, ["doctor"])).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([{ name: "node", level: "ok", message: expect.any(String) }]),
    });
  });

  it("says what is wrong and what to do, and fails", async () => {
    const elsewhere = { TOOLBUS_URL: NOWHERE, TOOLBUS_APPROVER_KEY: "wrong", DATA_DIR: cli.files.at("nothing-here") };
    const { code, stdout } = await cli.run(["doctor"], { env: elsewhere });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail {2}gateway +Nothing listens at http:\/\/127\.0\.0\.1:2\.\n +→ Start Toolbus with "toolbus start"/m);
    expect(stdout).toMatch(/^fail {2}approver key +It is not accepted \(from TOOLBUS_APPROVER_KEY\)\.\n +→ It is wrong, /m);
    expect(stdout).toMatch(/^warn {2}data directory +There is no data directory at /m);
    expect(await cli.run(["doctor", "--json"], { env: elsewhere })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"ok": false'),
    });
  });
});

describe("every command", () => {
  it.each([
    ["runs", "show", NO_RUN],
    ["runs", "watch", NO_RUN],
    ["runs", "cancel", NO_RUN],
    ["runs", "answer", NO_RUN, "yes"],
    ["chat", "hello", "--conversation", NO_CONVERSATION],
    ["approvals", "show", `ap_${NO_RUN}.1.0`],
    ["approvals", "approve", `ap_${NO_RUN}.1.0`, "--yes"],
  ])("%s %s says that it does not exist and exits with 5", async (...args) => {
    expectRefusal(await cli.run(args), 5, /^There is no /);
  });

  const reaching = [
    ["chat", "hello"],
    ["investigate", RELEASE],
    ["runs", "list"],
    ["tools", "list"],
    ["approvals", "list"],
  ];

  it.each(reaching)("%s %s says how to start if nothing runs and exits with 3", async (...args) => {
    const nowhere = { TOOLBUS_URL: NOWHERE, TOOLBUS_APPROVALS_URL: NOWHERE };
    const words = /^Nothing listens at http:\/\/127\.0\.0\.1:2: start Toolbus with "toolbus start", or name/;
    expectRefusal(await cli.run(args, { env: nowhere }), 3, words);
    expectRefusal(await cli.run([...args, "--json"], { env: { ...nowhere, DATA_DIR: cli.files.at("nothing-here") } }), 3, words);
  });

  it.each(reaching)("%s %s exits with 4 for a wrong key, for none, and for the key of another role", async (...args) => {
    const approvals = args[0] === "approvals";
    const variable = approvals ? "TOOLBUS_APPROVER_KEY" : "TOOLBUS_KEY";
    expectRefusal(await cli.run(args, { env: { [variable]: "wrong" } }), 4, new RegExp(`does not accept the key from ${variable}: `));
    expectRefusal(
      await cli.run(args, { env: { DATA_DIR: cli.files.at("nothing-here") } }),
      4,
      new RegExp(`^There is no key .*${variable}`),
    );
    const other = approvals ? cli.user : cli.approver;
    expectRefusal(
      await cli.run(args, { env: { [variable]: other } }),
      4,
      new RegExp(`^${variable} is the key of .*, which is never sent to`),
    );
  });

  it("stops quietly when its reader closes the pipe", async () => {
    await using program = cli.shell("toolbus runs list --limit 100 | head -1");
    expect(await program.ended()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^RUN .*\n$/) });
  });

  it.skipIf(process.platform !== "linux")("says that its output found no room, and fails", async () => {
    await using program = cli.shell("toolbus --version > /dev/full; echo $?");
    expect(await program.ended()).toMatchObject({ stdout: "The standard output cannot be written (ENOSPC).\n1\n" });
  });
});
