import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describePage } from "../pages/describe-page.ts";
import { runProgram, startProgram } from "./testing/program.ts";
import { scratch, type Scratch } from "./testing/scratch.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
const DOCS = path.join(ROOT, "scripts/docs.ts");

// README.md has the commands that a reader types first. This test is skipped in .ci/run, because `npm run docs -- --try` there tries the commands of
// every page, and also the demo on brokers.
if (process.env["LONG_PROOFS"] === undefined) describePage("README.md", { leaveOut: (command) => command.includes(" --bus ") });

describe("npm run docs -- --try", () => {
  let files: Scratch;
  beforeAll(() => {
    files = scratch();
    mkdirSync(files.at("pages"));
  });
  afterAll(() => files.remove());

  /** Tries the commands of a page with these lines. */
  async function tried(lines: readonly string[], ...flags: readonly string[]) {
    const page = files.file("pages/some.md", `${lines.join("\n")}\n`);
    return runProgram(DOCS, ["--try", path.relative(ROOT, page), ...flags]);
  }

  it("reports the outcome of each command, and exits with 0", async () => {
    const { code, stdout } = await tried(["```sh terminal-1", "echo one", "```", "", "```sh not-run: needs Docker", "docker ps", "```"]);
    expect({ code }).toEqual({ code: 0 });
    expect(stdout).toMatch(/^ok .*some\.md:2 +echo one {2}\d+\.\d s\nnot run .*some\.md:6 +docker ps {2}\(needs Docker\)\n/);
    expect(stdout).toMatch(/\n {3}1 {2}needs Docker\n\n1 ok, 0 failed, 1 not run, \d+ s\n$/);
  });

  it("exits with 1 if one failed, and says which, what was expected and what was shown", async () => {
    const { code, stdout } = await tried([
      "```sh terminal-1",
      "echo one; exit 3",
      "```",
      "",
      "```sh terminal-1",
      "echo two",
      "```",
      "",
      "```text",
      "three",
      "```",
    ]);
    expect({ code }).toEqual({ code: 1 });
    expect(stdout).toMatch(/^failed .*some\.md:2 +echo one; exit 3 .*\n {2}expected\n {4}exit code 0, not 3\n {2}shown\n {4}one\n/);
    expect(stdout).toMatch(/failed .*some\.md:6 +echo two .*\n {2}expected\n {4}three\n {2}shown\n {4}two\n/);
  });

  it("has one document with the same for --json", async () => {
    const { code, stdout } = await tried(["```sh terminal-1", "echo one; exit 3", "```"], "--json");
    expect({ code }).toEqual({ code: 1 });
    const commands = [{ line: 2, command: "echo one; exit 3", outcome: "failed", expected: "exit code 0, not 3", shown: "one\n" }];
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, counts: { ok: 0, failed: 1, notRun: 0 }, commands });
  });

  it("fails for a page with a fence that does not say what it is, with its line", async () => {
    const { code, stdout } = await tried(["# A page", "", "```", "npm start", "```"]);
    expect({ code }).toEqual({ code: 1 });
    expect(stdout).toMatch(/^failed .*some\.md:3 /);
    expect(stdout).toMatch(/The fence in line 3 does not say what it is/);
  });

  it("runs them in a copy of the checkout, which is removed afterwards, without the programs of this one", async () => {
    const where = files.at("where");
    const commands = [
      `pwd > '${where}'`,
      "touch made-by-a-page.txt",
      "git rev-parse HEAD",
      "! echo $PATH | grep node_modules",
      "toolbus --version",
    ];
    const { code, stdout } = await tried(["```sh terminal-1", ...commands, "```"]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(existsSync(path.join(ROOT, "made-by-a-page.txt"))).toBe(false);
    expect(readFileSync(where, "utf8")).toMatch(/checkout\n$/);
    expect(existsSync(readFileSync(where, "utf8").trim())).toBe(false);
  });

  it("refuses unknown arguments", async () => {
    expect(await runProgram(DOCS, ["--try", "docs/no-such-page.md"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/There is no page/),
    });
    expect(await runProgram(DOCS, ["docs/cli.md"])).toMatchObject({ code: 2, stderr: expect.stringMatching(/go with --try/) });
    expect(await runProgram(DOCS, ["--tri"])).toMatchObject({ code: 2, stderr: expect.stringMatching(/--tri.*--help/s) });
    expect(await runProgram(DOCS, ["--help"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/--try \[PAGE\.\.\.\]/) });
  });

  it("stops what it started when it is interrupted, and exits with 130", async () => {
    const [pid, ...lines] = [files.at("pid"), "```sh terminal-1 stays says: up"];
    lines.push(`echo $$ > '${pid}'; echo up; exec sleep 1000`, "```", "", "```sh terminal-2", "sleep 1000", "```");
    const some = files.file("pages/long.md", `${lines.join("\n")}\n`);
    await using program = startProgram(DOCS, ["--try", path.relative(ROOT, some)]);
    await program.says(/^ok .*long\.md:2/);
    program.kill("SIGINT");
    expect(await program.ended()).toMatchObject({ code: 130, stderr: expect.stringMatching(/^Interrupted/) });
    expect(() => process.kill(Number(readFileSync(pid, "utf8")), 0)).toThrow(/ESRCH/);
  });
});
