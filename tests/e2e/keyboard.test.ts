import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO, type Program, startCommand } from "./testing/program.ts";
import { filedIn, scratch, type Scratch, taggedRepository } from "./testing/scratch.ts";

// The tests use `script` of util-linux, which gives the demo a terminal. They are skipped where `script` is another version, because its flags
// differ.
const hasTerminal =
  process.platform === "linux" && /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");
const QUESTION = /approve \/ deny \/ revise\? /;

describe.skipIf(!hasTerminal)(`the demo at a terminal${hasTerminal ? "" : " (skipped: it takes script of util-linux)"}`, () => {
  let files: Scratch;
  let repo = "";
  beforeAll(() => {
    files = scratch();
    repo = taggedRepository(files.at("repo"));
  });
  afterAll(() => files.remove());

  function atTerminal(data: string): Program {
    const command = [process.execPath, DEMO, "--repo", repo, "--from", "v1", "--to", "v2", "--data", data]
      .map((part) => `'${part}'`)
      .join(" ");
    return startCommand("script", ["--quiet", "--flush", "--return", "--command", `exec ${command}`, "/dev/null"], {
      typedTo: true,
      env: { SHELL: "/bin/sh", TERM: "dumb" },
    });
  }

  it("files the report after approve", async () => {
    const data = files.data();
    await using demo = atTerminal(data);
    await demo.says(QUESTION);
    expect(filedIn(data), "nothing is filed before the answer").toEqual([]);
    demo.type("approve");
    expect((await demo.ended()).code).toBe(0);
    expect(filedIn(data)).toHaveLength(1);
  });

  it("files nothing after deny and keeps the approver's reason", async () => {
    const data = files.data();
    await using demo = atTerminal(data);
    await demo.says(QUESTION);
    demo.type("deny");
    await demo.says(/why\? \(optional\) /);
    demo.type("The freeze lasts until Monday");
    const { code, stdout } = await demo.ended();
    expect(code).toBe(0);
    expect(stdout).toContain("(not filed: denied)");
    expect(stdout).toContain("The freeze lasts until Monday");
    expect(filedIn(data)).toEqual([]);
  });

  it("asks again with the reworked report after revise, in the severity that the comment names", async () => {
    const data = files.data();
    await using demo = atTerminal(data);
    await demo.says(QUESTION);
    demo.type("revise");
    await demo.says(/what should change\? /);
    demo.type("Make it high, the cache was not warmed");
    await demo.says(/File a high risk report[^]*approve \/ deny \/ revise\? /);
    expect(filedIn(data)).toEqual([]);
    demo.type("approve");
    const { code, stdout } = await demo.ended();
    expect(code).toBe(0);
    expect(stdout).toMatch(/Risk report.* for v2: .*high/);
    const reports = filedIn(data);
    expect(reports.map((report) => report.severity)).toEqual(["high"]);
    expect(reports[0]?.findings.at(-1)).toBe("Reviewer: Make it high, the cache was not warmed");
  });

  it("asks again after an unknown answer", async () => {
    const data = files.data();
    await using demo = atTerminal(data);
    await demo.says(QUESTION);
    demo.type("perhaps");
    await demo.says(/Please answer with approve, deny or revise\./);
    demo.type("yes");
    expect((await demo.ended()).code).toBe(0);
    expect(filedIn(data)).toHaveLength(1);
  });

  it("asks the same question again after a SIGKILL in front of it", async () => {
    const data = files.data();
    await using killed = atTerminal(data);
    await killed.says(QUESTION);
    const approvalId = /approval {3}(ap_\S+)/.exec(killed.stdout())?.[1];
    expect(approvalId).toBeDefined();
    // `exec` makes the demo itself the only child of `script`.
    process.kill(Number(readFileSync(`/proc/${killed.pid}/task/${killed.pid}/children`, "utf8")), "SIGKILL");
    await killed.ended();

    await using demo = atTerminal(data);
    await demo.says(QUESTION);
    expect(demo.stdout()).toContain("Continuing run");
    expect(demo.stdout()).toContain(`approval   ${approvalId}`);
    demo.type("approve");
    expect((await demo.ended()).code).toBe(0);
    expect(filedIn(data)).toHaveLength(1);
  });
});
