import { chmodSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import path from "node:path";
import { startAllInOne } from "@toolbus/all-in-one";
import { startReleaseApi } from "@toolbus/example-release-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { follow, startRun } from "./testing/http-client.ts";
import { DEMO, runProgram, stackLines, START, startProgram } from "./testing/program.ts";
import { someRelease } from "./testing/releases.ts";
import { emptyRepository, filedIn, scratch, type Scratch, taggedRepository } from "./testing/scratch.ts";

let files: Scratch;
let repo = "";
beforeAll(() => {
  files = scratch();
  repo = taggedRepository(files.at("repo"));
});
afterAll(() => files.remove());

/** Expects one line of helpful sentences on standard error, and no stack trace. */
function expectSentence(stderr: string, words: RegExp): void {
  expect(stackLines(stderr)).toEqual([]);
  expect(stderr).not.toContain("A fault of Toolbus");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(words);
}

describe("the demo refuses with one sentence and exit code 1", () => {
  it.each<{ what: string; flags: () => string[]; words: RegExp }>([
    { what: "an unknown flag", flags: () => ["--bogus"], words: /'--bogus'.*--help/ },
    { what: "an unknown level of --fail-on", flags: () => ["--fail-on", "low"], words: /--fail-on accepts medium or high, not "low"/ },
    { what: "--approve with --deny", flags: () => ["--approve", "--deny"], words: /--approve and --deny exclude each other/ },
    { what: "a positional argument", flags: () => ["stray"], words: /'stray'/ },
    { what: "a flag without its value", flags: () => ["--repo"], words: /^--repo needs a value/ },
    { what: "a flag in place of a value", flags: () => ["--repo", "--json"], words: /^--repo needs a value/ },
    { what: "a repository that does not exist", flags: () => ["--repo", files.at("nowhere")], words: /There is no folder .*nowhere/ },
    { what: "a repository without commits", flags: () => ["--repo", emptyRepository(files.at("empty"))], words: /has no commits/ },
    { what: "an unknown tag", flags: () => ["--repo", repo, "--to", "v99"], words: /"v99" names no commit/ },
    {
      what: "a swapped range",
      flags: () => ["--repo", repo, "--from", "v2", "--to", "v1"],
      words: /v1 is an ancestor of v2\. Look whether/,
    },
    { what: "an empty range", flags: () => ["--repo", repo, "--from", "v2", "--to", "v2"], words: /no commit between v2 and v2/ },
    {
      what: "test results that are not XML",
      flags: () => ["--repo", repo, "--junit", files.file("not.xml", "<<<")],
      words: /not\.xml is not well-formed XML/,
    },
    {
      what: "missing test results",
      flags: () => ["--repo", repo, "--junit", files.at("none.xml")],
      words: /none\.xml cannot be read: there is no such file/,
    },
    {
      what: "metrics that are not JSON",
      flags: () => ["--repo", repo, "--metrics", files.file("not.json", "{")],
      words: /not\.json is not JSON/,
    },
    {
      what: "metrics with an impossible figure",
      flags: () => ["--repo", repo, "--metrics", files.file("odd.json", '{"error_rate": 7, "response_time_p95": 1}')],
      words: /error_rate must be a share from 0 to 1/,
    },
    { what: "a data directory that is a file", flags: () => ["--repo", repo, "--data", files.file("taken", "")], words: /taken/ },
  ])("$what", async ({ flags, words }) => {
    const data = files.data();
    const { code, stdout, stderr } = await runProgram(DEMO, ["--data", data, "--approve", "--json", ...flags()]);
    expectSentence(stderr, words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(filedIn(data)).toEqual([]);
  });

  it("a model provider that does not exist", async () => {
    const { code, stdout, stderr } = await runProgram(DEMO, ["--repo", repo, "--data", files.data(), "--approve", "--json"], {
      env: { LLM_PROVIDER: "nonsense" },
    });
    expectSentence(stderr, /LLM_PROVIDER.*nonsense.*offline/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });
});

describe("npm start refuses with one sentence and exit code 1", () => {
  const settings = (data: string, env: Record<string, string> = {}): Record<string, string> => ({
    DATA_DIR: data,
    GATEWAY_PORT: "0",
    APPROVALS_PORT: "0",
    ...env,
  });

  it.each<{ what: string; env: Record<string, string>; words: RegExp }>([
    {
      what: "several wrong settings, all at once",
      env: { GATEWAY_PORT: "abc", POLL_MS: "-1" },
      words: /POLL_MS.*"-1".*GATEWAY_PORT.*"abc"|GATEWAY_PORT.*"abc".*POLL_MS.*"-1"/,
    },
    { what: "a model provider that does not exist", env: { LLM_PROVIDER: "nonsense" }, words: /LLM_PROVIDER.*nonsense.*offline/ },
    {
      what: "a bus that does not exist, without its password",
      env: { BUS_URL: "kafka://me:secret@host" },
      words: /BUS_URL starts with kafka: which is not a bus(?!.*secret)/,
    },
    {
      what: "a store that does not exist, without its password",
      env: { STATE_URL: "postgres://me:secret@host" },
      words: /state store "postgres:…" is unknown(?!.*secret)/,
    },
    { what: "a toolset that does not exist", env: { TOOLSETS: "nonsense" }, words: /TOOLSETS names "nonsense".*Known: release/ },
    { what: "a release API that is not an address", env: { RELEASE_API_URL: "nonsense" }, words: /RELEASE_API_URL/ },
    { what: "a data directory that is a file", env: { DATA_DIR: "/dev/null" }, words: /\/dev\/null/ },
    {
      what: "a data directory that is a file, with a release API of its own",
      env: { DATA_DIR: "/dev/null", RELEASE_API_URL: "http://127.0.0.1:9" },
      words: /\/dev\/null/,
    },
    {
      what: "an address that this machine does not have",
      env: { GATEWAY_HOST: "192.0.2.1" },
      words: /192\.0\.2\.1 is not an address of this machine.*GATEWAY_HOST/,
    },
  ])("$what", async ({ env, words }) => {
    const { code, stderr } = await runProgram(START, [], { env: settings(files.data(), env) });
    expectSentence(stderr, words);
    expect(code).toBe(1);
  });

  it("an argument", async () => {
    const { code, stdout, stderr } = await runProgram(START, ["now"]);
    expectSentence(stderr, /takes no arguments, but got "now"/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });

  it.each(["GATEWAY_PORT", "APPROVALS_PORT"])("a %s that is in use, and leaves nothing locked behind", async (name) => {
    const data = files.data();
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const taken = String(typeof address === "object" ? address?.port : address);
    try {
      const { code, stderr } = await runProgram(START, [], { env: settings(data, { [name]: taken }) });
      expectSentence(stderr, new RegExp(`Port ${taken} on 127\\.0\\.0\\.1 is taken.*${name}`));
      expect(code).toBe(1);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
    await using system = startProgram(START, [], { env: settings(data, { [name]: taken }) });
    await system.says(/Stop with Ctrl-C/);
  });

  it("a second start on the same data, while the first continues to work", async () => {
    const data = files.data();
    await using first = startProgram(START, [], { env: settings(data) });
    await first.says(/Stop with Ctrl-C/);
    const { code, stderr } = await runProgram(START, [], { env: settings(data) });
    expectSentence(stderr, /is in use by another process: stop that one or name another directory/);
    expect(code).toBe(1);
    const demo = await runProgram(DEMO, ["--repo", repo, "--data", data, "--approve"]);
    expectSentence(demo.stderr, /is in use by another process/);
    expect(demo.code).toBe(1);

    const [, gateway = "", user = ""] = await first.says(/^gateway +(\S+)[^]*^user key +(\S+)/m);
    const runId = await startRun({ gateway, user }, "any");
    expect((await follow({ gateway, user }, runId)).at(-1)?.type).toBe("run.completed");
  });

  it("a state file that is not a database, and leaves it unchanged", async () => {
    const data = files.data();
    const file = files.file(path.join(path.basename(data), "state", "state.db"), "This is a letter, not a database. ".repeat(64));
    copyFileSync(file, files.at("before.db"));
    const { code, stderr } = await runProgram(START, [], { env: settings(data) });
    expectSentence(stderr, /state\.db/);
    expect(code).toBe(1);
    expect(readBytes(file)).toEqual(readBytes(files.at("before.db")));
  });

  it("another application's database, and leaves it unchanged", async () => {
    const data = files.data();
    mkdirSync(path.join(data, "state"), { recursive: true });
    const file = path.join(data, "state", "state.db");
    withDatabase(file, (database) => database.exec("CREATE TABLE songs (name TEXT); INSERT INTO songs VALUES ('one')"));
    const { code, stderr } = await runProgram(START, [], { env: settings(data) });
    expectSentence(stderr, /another application's database.*left as it is/);
    expect(code).toBe(1);
    expect(withDatabase(file, (database) => database.prepare("SELECT count(*) AS songs FROM songs").get())).toEqual({ songs: 1 });
  });

  it.each([
    { name: "user.key", words: /holds no user key: delete it/ },
    { name: "approver.key", words: /holds no approver key: delete it/ },
    { name: "approvals-signing.jwk", words: /approvals-signing\.jwk/ },
    { name: "receipts-signing.jwk", words: /receipts-signing\.jwk/ },
  ])("a $name that contains no key, and leaves it unchanged", async ({ name, words }) => {
    const data = files.data();
    const file = files.file(path.join(path.basename(data), "keys", name), "nonsense\n");
    chmodSync(file, 0o600);
    const { code, stderr } = await runProgram(START, [], { env: settings(data) });
    expectSentence(stderr, words);
    expect(code).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("nonsense\n");
  });

  it("a key file that cannot be read", async () => {
    const data = files.data();
    mkdirSync(path.join(data, "keys", "user.key"), { recursive: true });
    const { code, stderr } = await runProgram(START, [], { env: settings(data) });
    expectSentence(stderr, /user\.key cannot be read \(EISDIR\)/);
    expect(code).toBe(1);
  });

  it("damaged records of the example release API, and leaves them unchanged", async () => {
    const data = files.data();
    const file = files.file(path.join(path.basename(data), "release-api", "risk-reports.jsonl"), "nonsense\n");
    const { code, stderr } = await runProgram(START, [], { env: settings(data) });
    expectSentence(stderr, /Line 1 of .*risk-reports\.jsonl is damaged/);
    expect(code).toBe(1);
    expect(readFileSync(file, "utf8")).toBe("nonsense\n");
  });

  it.skipIf(process.getuid?.() === 0)("a directory without rights (skipped for root, who has all rights)", async () => {
    const closed = files.at("closed");
    mkdirSync(closed, { mode: 0o500 });
    const { code, stderr } = await runProgram(START, [], { env: settings(path.join(closed, "data")) });
    expectSentence(stderr, /closed.*(EACCES|cannot be created)/);
    expect(code).toBe(1);
  });
});

describe("--help", () => {
  it.each([
    { name: "of the demo", script: DEMO },
    { name: "of npm start", script: START },
  ])("$name explains it and exits with 0", async ({ script }) => {
    const { code, stdout, stderr } = await runProgram(script, ["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: npm (run demo|start)/m);
  });
});

describe("a request for a release that does not exist", () => {
  it("ends completed with a text that says so and files nothing", async () => {
    const api = await startReleaseApi({
      directory: files.at("api"),
      releases: new Map([["v1", someRelease("v1")]]),
      clock: () => Date.now(),
      newId: () => "r",
    });
    const system = await startAllInOne({
      directory: files.data(),
      env: { RELEASE_API_URL: api.url, GATEWAY_PORT: "0", APPROVALS_PORT: "0", LOG_LEVEL: "silent" },
    });
    try {
      const caller = { gateway: system.gatewayUrl, user: system.keys.user };
      const events = await follow(caller, await startRun(caller, "v404"));
      expect(events.at(-1)).toMatchObject({
        type: "run.completed",
        text: expect.stringContaining('There is no release "v404"'),
        report: { severity: null, filing: { status: "not_attempted" } },
      });
      expect(api.reports()).toEqual([]);
    } finally {
      await system.stop();
      await api.stop();
    }
  });
});

function readBytes(file: string): string {
  return readFileSync(file).toString("base64");
}

function withDatabase<T>(file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
