import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseRunRecord, type RunRecord } from "@toolbus/contracts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  askingRun,
  type CliUnderTest,
  cliUnderTest,
  expectRefusal,
  jsonOf,
  RELEASE,
  TOOLBUS,
  waitingRun,
} from "./testing/cli-under-test.ts";
import { approve, call, follow } from "./testing/http-client.ts";
import { runProgram } from "./testing/program.ts";

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

/** Returns an investigation that has ended, with a write that a person approved. */
async function endedRun(): Promise<string> {
  const { runId, approvalId } = await waitingRun(cli);
  await approve(cli, approvalId);
  await follow(cli, runId);
  return runId;
}

let files = 0;
async function recordedIn(runId: string): Promise<{ readonly file: string; readonly record: RunRecord }> {
  const file = cli.files.at(`record-${++files}.json`);
  expect(await cli.run(["runs", "record", runId, "--out", file])).toMatchObject({ code: 0, stdout: "" });
  const parsed = parseRunRecord(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.ok) throw new Error("The file has no record.");
  return { file, record: parsed.value };
}

/** Runs a command in a process that may not use the network, and may write only below `writable`. */
function offline(args: readonly string[], writable?: string) {
  const refuse = path.resolve(import.meta.dirname, "testing/refuse-network.ts");
  const rights = ["--permission", "--allow-fs-read=*", ...(writable === undefined ? [] : [`--allow-fs-write=${writable}`])];
  return runProgram(TOOLBUS, args, { env: { NODE_OPTIONS: [...rights, `--import=${refuse}`].join(" "), NODE_COMPILE_CACHE: "" } });
}

describe("toolbus runs replay", () => {
  it("plays an investigation again, byte-equal, in a process without network and without the right to write", async () => {
    const runId = await endedRun();
    const { file, record } = await recordedIn(runId);
    expect(record.calls.map(({ toolName }) => toolName)).toContain("file_risk_report");
    const { code, stdout, stderr } = await offline(["runs", "replay", "--file", file]);
    expect(stderr).not.toContain("NETWORK USED");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `The replay of ${runId} is byte-equal: ${record.events.length} events, and ${record.transcript.length} entries of its transcript.\n`,
    });
    // The gateway's own record gives the same.
    expect((await cli.run(["runs", "replay", runId])).stdout).toBe(stdout);
    expect(await jsonOf(cli, ["runs", "replay", runId])).toMatchObject({ runId, equal: true, difference: null });
  });

  it("is refused the network by the check of the test itself", async () => {
    const { code, stderr } = await offline(["runs", "replay", "rn_00_01JD0000000000000000000001", "--key", "tb_user_x"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("NETWORK USED");
  });

  it("keeps secrets, grants and receipts out of the record, and the profile for operators", async () => {
    const runId = await endedRun();
    const { record } = await recordedIn(runId);
    const text = JSON.stringify(record);
    for (const name of ["secret", "grant", "token", "signature"]) expect(text).not.toContain(`"${name}":`);
    expect(record.profile?.profile).toMatchObject({ name: "release-investigation" });
    const own = await call(`${cli.gateway}/v1/runs/${runId}/record`, cli.user);
    expect(own.status).toBe(200);
    expect(own.body).toMatchObject({
      profile: null,
      leftOut: expect.arrayContaining(["Only an operator may read the profile of the run."]),
    });
  });

  it("plays a question and its answer again", async () => {
    const { runId } = await askingRun(cli);
    expect(await cli.run(["runs", "answer", runId, "red"])).toMatchObject({ code: 0 });
    await follow(cli, runId);
    expect(await cli.run(["runs", "replay", runId])).toMatchObject({ code: 0, stdout: expect.stringContaining("byte-equal") as string });
  });

  it("shows where the run diverges with a changed description, and exits with 2", async () => {
    const { file } = await recordedIn(await endedRun());
    const tools = cli.files.file("tools.yaml", "- name: get_release_summary\n  description: Says what is in a release.\n");
    const { code, stdout } = await cli.run(["runs", "replay", "--file", file, "--tools", tools]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/^TURN {2,}WHAT DIFFERS/m);
    expect(stdout).toMatch(/^0 +equal$/m);
    expect(stdout).toMatch(/^1 +differs +The tool get_release_summary has another description\.$/m);
    expect(await cli.run(["runs", "replay", "--file", file, "--model", "offline:rules-1"])).toMatchObject({ code: 0 });
  });

  it("finds a log that was changed, and says where", async () => {
    const { file, record } = await recordedIn(await endedRun());
    const events = record.events.map((event) => (event.type === "run.completed" ? { ...event, text: "All is well." } : event));
    writeFileSync(file, JSON.stringify({ ...record, events }));
    const { code, stdout } = await cli.run(["runs", "replay", "--file", file]);
    expect(code).toBe(2);
    expect(stdout).toContain(`The replay differs from the log at event ${record.events.length}, in text.`);
  });

  it("says in one sentence what cannot be played", async () => {
    expectRefusal(await cli.run(["runs", "replay"]), 2, /^Name the run or its file with --file/);
    const missing = cli.files.at("missing.json");
    expectRefusal(await cli.run(["runs", "replay", "--file", missing]), 1, /^The record .+missing\.json cannot be read \(ENOENT\)/);
    expectRefusal(await cli.run(["eval", "add", "--file", missing, "--suite", cli.files.at("s")]), 1, /^The record .+ cannot be read/);
    const none = cli.files.file("none.json", "{}");
    expectRefusal(await cli.run(["runs", "replay", "--file", none]), 1, /has no record of a run that this version reads/);
    const runId = await endedRun();
    const { file } = await recordedIn(runId);
    expectRefusal(await cli.run(["runs", "replay", "--file", file, "--model", "nobody:x"]), 1, /^"nobody:x" names no model/);
    for (const option of ["--profile", "--prompt", "--tools"])
      expectRefusal(await cli.run(["runs", "replay", "--file", file, option, missing]), 1, /missing\.json cannot be read \(ENOENT\)/);
    const tools = cli.files.file("unknown.yaml", "- name: no_such_tool\n  description: x\n");
    expectRefusal(await cli.run(["runs", "replay", "--file", file, "--tools", tools]), 1, /did not have the tool "no_such_tool"/);
    const { conversationId } = await jsonOf(cli, ["runs", "show", runId]);
    expect(await cli.run(["conversations", "delete", String(conversationId), "--yes"])).toMatchObject({ code: 0 });
    expectRefusal(await cli.run(["runs", "replay", runId]), 1, /cannot be played again, because its conversation was deleted/);
  });
});

describe("toolbus eval add", () => {
  it("makes a run a scenario, begins the suite, and says what was masked", async () => {
    const { runId } = await askingRun(cli);
    await cli.run(["runs", "answer", runId, "write to una@example.com"]);
    await follow(cli, runId);
    const suite = cli.files.at("suites/recorded-runs");
    const { code, stdout, stderr } = await cli.run(["eval", "add", runId, "--suite", suite, "--id", "asks-for-a-colour"]);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("is the scenario asks-for-a-colour") as string });
    expect(stderr).toContain("Read the file before you share it.");
    expect(readdirSync(suite).toSorted()).toEqual(["scenarios", "suite.yaml"]);
    const text = readFileSync(path.join(suite, "scenarios/asks-for-a-colour.yaml"), "utf8");
    expect(text).toContain("end: completed");
    expect(text).not.toContain("una@example.com");
    expectRefusal(await cli.run(["eval", "add", runId, "--suite", suite, "--id", "asks-for-a-colour"]), 1, /exists/);
    expectRefusal(await cli.run(["eval", "add", runId, "--suite", suite, "--id", "No!"]), 2, /cannot be the id of a scenario/);
  });

  it("writes the answers of tools as fixtures, and what happened as the expectation", async () => {
    const runId = await endedRun();
    const suite = cli.files.at("suites/releases");
    expect(await jsonOf(cli, ["eval", "add", runId, "--suite", suite, "--id", "release"])).toMatchObject({
      id: "release",
      begunSuite: true,
    });
    const text = readFileSync(path.join(suite, "scenarios/release.yaml"), "utf8");
    expect(text).toContain(`release: ${RELEASE}`);
    expect(text).toMatch(/^ {2}get_release_summary:\n {4}- when:\n {8}release_id: v1\.5\.0\n {6}result:/m);
    expect(text).toMatch(/^approvals:\n {2}file_risk_report:\n {4}decide: approve\n/m);
    expect(text).toMatch(/- tool: file_risk_report\n {6}decidedBy: people/);
  });

  it("brings the definitions of tools that do not ship, so that the scenario can be run", async () => {
    const { file, record } = await recordedIn(await endedRun());
    const own = (name: string) => ({ ...record.tools[0], definition: { ...record.tools[0]?.definition, name } });
    writeFileSync(file, JSON.stringify({ ...record, tools: [...record.tools, own("own_look"), own("own_find")] }));
    const suite = cli.files.at("suites/own-tools");
    const add = (id: string) => cli.run(["eval", "add", "--file", file, "--suite", suite, "--id", id]);
    expect((await add("first")).stderr).toContain(`The definitions of own_look, own_find are now in ${suite}/tools.yaml.`);
    expect(readFileSync(path.join(suite, "suite.yaml"), "utf8")).toMatch(/^tools: \.\/tools\.yaml$/m);
    expect(await cli.run(["eval", "run", suite, "--out", cli.files.at("own-tools")])).toMatchObject({ code: 0 });
    // A suite that has some of them keeps its text and gets the others.
    const tools = path.join(suite, "tools.yaml");
    const known = readFileSync(tools, "utf8").replace(/- name: own_find[\s\S]*/, "");
    writeFileSync(tools, `# ours\n${known}`);
    expect((await add("second")).stderr).toContain("The definitions of own_find are now in");
    expect(readFileSync(tools, "utf8")).toMatch(/^# ours\n- name: own_look\n[\s\S]*\n- name: own_find\n/);
    expect((await add("third")).stderr).not.toContain("The definitions");
    writeFileSync(tools, "[{ name: own_look }]\n");
    expectRefusal(await add("fourth"), 1, /The definitions of own_find cannot be added to .*: write it as a YAML list/);
    expect(readdirSync(path.join(suite, "scenarios")).toSorted()).toEqual(["first.yaml", "second.yaml", "third.yaml"]);
  });

  it("brings the profile of the run, masked, so that the scenario evaluates the same agent", async () => {
    const { runId } = await jsonOf(cli, ["chat", "What can you do?"]);
    const { file, record } = await recordedIn(String(runId));
    const ofDesk = (systemPrompt: string) => ({ ...record.profile, profile: { ...record.profile?.profile, name: "desk", systemPrompt } });
    const desk = (profile: object | null) => JSON.stringify({ ...record, run: { ...record.run, profile: "desk" }, profile });
    const suite = cli.files.at("suites/desk");
    const add = (id: string, more: readonly string[] = []) =>
      cli.run(["eval", "add", "--file", file, "--suite", suite, "--id", id, ...more]);
    writeFileSync(file, desk(ofDesk("Ask una@example.com if in doubt.")));
    const first = await add("first");
    expect(first.stderr).toContain(`The profile desk of the run is now in ${suite}/profiles/desk.yaml.`);
    expect(first.stderr).toContain("Masked: e-mail address, in 1 text.");
    const text = readFileSync(path.join(suite, "profiles/desk.yaml"), "utf8");
    expect(text).toMatch(/^name: desk\n/);
    expect(text).not.toContain("una@example.com");
    expect(readFileSync(path.join(suite, "suite.yaml"), "utf8")).toMatch(/^profiles: \.\/profiles$/m);
    expect(await cli.run(["eval", "run", suite, "--out", cli.files.at("desk")])).toMatchObject({ code: 0 });
    // The suite has it now, and keeps it when another run had another one.
    expect((await add("second")).stderr).not.toContain("desk");
    writeFileSync(file, desk(ofDesk("Never ask.")));
    expect((await add("third")).stderr).toContain('another agent than that of the run: the suite has another profile "desk" in');
    expect(readFileSync(path.join(suite, "profiles/desk.yaml"), "utf8")).toBe(text);
    writeFileSync(file, desk(null));
    expect((await add("fourth")).stderr).toContain("the record has no profile. Record the run with an operator's key");
    expect(JSON.parse((await add("fifth", ["--json"])).stdout)).toMatchObject({ profile: null });
  });

  it("writes no profile if it is that of this build, and none outside of the suite", async () => {
    const { file, record } = await recordedIn(await endedRun());
    const suite = cli.files.at("suites/outside");
    const add = (id: string) => cli.run(["eval", "add", "--file", file, "--suite", suite, "--id", id]);
    expect((await add("first")).stderr).not.toContain("profile");
    expect(readdirSync(suite).toSorted()).toEqual(["scenarios", "suite.yaml"]);
    const own = { ...record.profile, profile: { ...record.profile?.profile, systemPrompt: "Be brief." } };
    writeFileSync(file, JSON.stringify({ ...record, profile: own }));
    const shared = path.dirname(cli.files.file("suites/shared/other.yaml", '{"name":"other"}'));
    appendFileSync(path.join(suite, "suite.yaml"), "profiles: ../shared\n");
    expect((await add("second")).stderr).toContain(`the profiles of the suite are outside of its folder, in ${shared}.`);
    expect(readdirSync(shared)).toEqual(["other.yaml"]);
  });

  it("lets the record of somebody else write only below the suite, and no fields of the suite", async () => {
    const { record } = await recordedIn(await endedRun());
    const suite = cli.files.at("suites/foreign");
    const changed = (run: object) => cli.files.file("foreign.json", JSON.stringify({ ...record, run: { ...record.run, ...run } }));
    const away = changed({ runId: `${record.run.runId.slice(0, -10)}/../../../` });
    for (const command of [
      ["eval", "add", "--suite", suite],
      ["runs", "replay"],
    ])
      expectRefusal(await cli.run([...command, "--file", away]), 1, /\/run\/runId must be the id of a run/);
    const lines = changed({ profile: "chat\nprofiles: /etc" });
    expect(await cli.run(["eval", "add", "--suite", suite, "--file", lines])).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(suite, "suite.yaml"), "utf8")).not.toMatch(/^profiles:/m);
  });
});
