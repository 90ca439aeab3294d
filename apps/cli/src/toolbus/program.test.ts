import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { WIDTH } from "../terminal/lines.ts";
import { EXIT_MEANINGS } from "./exit-codes.ts";
import { Failure } from "./failure.ts";
import { commandsUnderTest as commands } from "../testing/commands-under-test.ts";
import { runCommandLine } from "./program.ts";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";

const setup = surroundingsUnderTest;
const ROOT = path.resolve(import.meta.dirname, "../../../..");

async function refused(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Failure> {
  const { around, said } = setup(env);
  const failure = await runCommandLine(argv, around).then(
    () => null,
    (error: unknown) => error,
  );
  expect(said()).toEqual({ out: "", err: "" });
  if (!(failure instanceof Failure)) throw new Error(`${argv.join(" ")} was accepted.`);
  return failure;
}

const RUN = "rn_00_01K0AB5M0Y4T8J6W2Q9Z3C7D1E";

describe("a wrong command line", () => {
  it.each<[string, RegExp]>([
    ["chatt", /^Unknown command 'chatt': did you mean chat\? See toolbus --help\.$/],
    ["runs lst", /^Unknown command 'lst': did you mean list\? See toolbus runs --help\.$/],
    ["runs list --limt 3", /^Unknown option '--limt': did you mean --limit\? See toolbus runs list --help\.$/],
    ["runs list --limit", /^Option '--limit <number>' argument missing\. See toolbus runs list --help\.$/],
    ["runs list --limit 0", /It is a whole number from 1 to 100\. See toolbus runs list --help\.$/],
    ["runs show", /^Missing required argument 'run'\. See toolbus runs show --help\.$/],
    ["doctor now", /^Too many arguments for 'doctor'/],
    ["doctor --health http://worker:9000,worker", /^--health needs an address such as http:\/\/127\.0\.0\.1:9000, not "worker"\./],
    ["chat --if-active wait hello", /Allowed choices are enqueue, reject, interrupt\. See toolbus chat --help\.$/],
    ["investigate v1 --fail-on worst", /Allowed choices are low, medium, high\./],
    ["investigate", /^Name the release to investigate, or its repository with --repo, or give an alert with --alert\.$/],
    ["investigate v1 --alert -", /or give an alert with --alert\.$/],
    ["investigate v1 --no-wait --fail-on low", /--fail-on needs the report/],
    [
      `runs show ${RUN}x`,
      /^"rn_00_\w+x" is not the id of a run: such an id is rn_00_ and 26 characters; "toolbus runs list" shows them\.$/,
    ],
    [`runs answer ${RUN} yes --call ${RUN}`, /is not the id of a call/],
    ["approvals show ap_1", /^"ap_1" is not the id of an approval/],
    [
      "dead-letters show dl_1",
      /^"dl_1" is not the id of a dead letter: such an id is dl_00_ and 26 characters; "toolbus dead-letters list" shows them\.$/,
    ],
    ["dead-letters list --state lost", /Allowed choices are open, replaying, replayed, dismissed\./],
    ["chat --conversation cv_1 hello", /^"cv_1" is not the id of a conversation/],
    [`chat --conversation cv_00_${"0".repeat(26)} --profile direct hello`, /^A conversation keeps the profile that it began with/],
    ["tools call look_up {", /^The arguments are not JSON \(.+\): give an object in single quotes/],
    ["tools call look_up [1]", /^The arguments are JSON but not an object/],
    ["tools enable", /^Name a tool, or an MCP server with --server: see .*tools enable --help\.$/],
    ["tools show --server a b", /^--server and the name of a tool exclude each other: leave out "b"\.$/],
    ["tools tier --server a", /^Name a tier too/],
    ["tools tier --server a huge", /^"huge" is not a tier/],
    ["tools enable --server a --toolset b", /^--toolset is for one tool: leave it or --server out\.$/],
    ["tools enable a --disabled", /^--disabled needs --server/],
    ["tools pending --server=", /^--server needs the name of an MCP server/],
    ["runs list --url ftp://host", /^--url needs an address such as http:\/\/127\.0\.0\.1:8080, not "ftp:\/\/host"\.$/],
    ["runs list --url http://me:secret@host", /^--url needs an address(?!.*secret)/],
    ["approvals list --approvals-url nonsense", /^--approvals-url needs an address such as http:\/\/127\.0\.0\.1:8081/],
    ["runs list --timeout soon", /^--timeout needs a time such as 30s, 5m or 1h, not "soon"\.$/],
    ["runs list --key a --key-file b", /^--key and --key-file exclude each other/],
    [
      "runs list --key-file nowhere",
      /^--key-file .*nowhere.* names .*cannot be read \(ENOENT\)|^--key-file names \/nowhere\/nowhere, which cannot be read \(ENOENT\)/,
    ],
    ["broker policies", /^Name the bus with --bus or BUS_URL, such as amqp:\/\/host:5672\/vhost\.$/],
    ["broker policies --bus kafka://me:secret@host", /^--bus starts with kafka: which is not a bus(?!.*secret)/],
    ["broker policies --bus amqp://me:secret@host?vhost=a", /^--bus has the unknown option "vhost"(?!.*secret)/],
    ["broker policies --bus amqp://me:secret@host --check", /^--check asks RabbitMQ's management plugin: add(?!.*secret)/],
    ["permissions --bus memory: --state redis://h", /^--bus is memory:, a bus within one process, which has no logins/],
    ["permissions --bus kafka://me:secret@host", /^--bus starts with kafka: which is not a bus(?!.*secret)/],
    ["permissions --bus nats://host --state sqlite:here", /^--state names a store within one process, which has no logins/],
    ["permissions --toolsets a,B/c", /^--toolsets accepts names separated by commas/],
    ["permissions --check --rotate", /^--rotate is for making logins; --check uses those that \/nowhere\/\.toolbus\/permissions holds\.$/],
    ["permissions --check --set-up", /^--set-up and --check are two steps/],
    ["demo --approve --deny", /^--approve and --deny exclude each other/],
    ["demo --fail-on low", /^--fail-on accepts medium or high, not "low"\.$/],
    ["demo --repo=", /^--repo needs a value: leave it out for the default, or see toolbus demo --help\.$/],
    ["demo --quiet", /^"demo" has no --quiet: it is meant to be watched, and --json gives the outcome alone\.$/],
    ["demo --url http://127.0.0.1:1", /^"demo" has no --url: it starts a Toolbus of its own, with its own addresses and keys\.$/],
    ["start --json", /^start prints its addresses and keys as text/],
    ["start --bus nats://127.0.0.1:4222", /^--bus needs --state: .* such as --state redis:\/\/127\.0\.0\.1:6379, or set STATE_URL\.$/],
    ["start --state redis://127.0.0.1:6379", /^--state needs --bus: .* such as --bus amqp:\/\/127\.0\.0\.1:5672, or set BUS_URL\.$/],
    ["start --bus kafka://me:secret@host --state redis://host", /^--bus needs the address of RabbitMQ or NATS(?!.*secret)/],
    ["start --bus nats://host --state sqlite:here", /^--state needs the address of Redis, which begins with redis:\/\/ or rediss:\/\/\.$/],
    ["start --bus amqp:// --state redis://host", /^--bus needs the address of RabbitMQ or NATS/],
  ])("%s is refused in one line with exit code 2", async (line, words) => {
    const { message, exitCode } = await refused(line.split(" "));
    expect(message).toMatch(words);
    expect(message).not.toContain("\n");
    expect(exitCode).toBe(2);
  });

  it("in the environment is named by its variable", async () => {
    expect((await refused(["runs", "list"], { TOOLBUS_URL: "nonsense" })).message).toMatch(/^TOOLBUS_URL needs an address/);
    expect((await refused(["broker", "policies"], { BUS_URL: "nonsense" })).message).toMatch(/^BUS_URL names no scheme/);
  });
});

describe("help", () => {
  it.each(commands())("of %s has two or three examples, all of that command, and fits the width", async (name) => {
    const { around, said } = setup();
    expect(await runCommandLine([...name.split(" ").slice(1), "--help"], around)).toBe(0);
    const { out, err } = said();
    const examples = out
      .slice(out.indexOf("Examples:"))
      .split("\n")
      .slice(1)
      .filter((line) => line !== "");
    expect(examples.length).toBeGreaterThanOrEqual(2);
    expect(examples.length).toBeLessThanOrEqual(3);
    expect(examples.filter((line) => !line.includes(name))).toEqual([]);
    expect(out.split("\n").filter((line) => line.length > WIDTH)).toEqual([]);
    expect(out).toContain("--json");
    expect(err).toBe("");
  });

  it("never shows a key in an example", () => {
    const examples = commands().map(([, command]) => command.helpInformation());
    expect(examples.filter((text) => /--key \S*tb_/.test(text))).toEqual([]);
  });

  it("is what the program prints without arguments, with every command and every exit code", async () => {
    const { around, said } = setup();
    expect(await runCommandLine([], around)).toBe(0);
    const { out } = said();
    for (const [name] of commands()) expect(out).toContain(`\n  ${name.split(" ")[1] ?? ""} `);
    for (const [code, meaning] of EXIT_MEANINGS) expect(out).toContain(`  ${String(code).padEnd(4)} ${meaning}\n`);
    expect(out.split("\n").filter((line) => line.length > WIDTH)).toEqual([]);
  });

  it("of a command group goes to standard error, because no command was given", async () => {
    const { around, said } = setup();
    expect(await runCommandLine(["runs"], around)).toBe(2);
    expect(said()).toEqual({ out: "", err: expect.stringContaining("watch <run>") });
  });

  it("is also what `help` in front of a command prints", async () => {
    const { around, said } = setup();
    expect(await runCommandLine(["help", "runs", "list"], around)).toBe(0);
    expect(said().out).toContain("Usage: toolbus runs list");
  });
});

describe("the page about the command line", () => {
  const page = readFileSync(path.join(ROOT, "docs/cli.md"), "utf8");

  it("names every command and every option, and no others", () => {
    const named = new Set([...page.matchAll(/^### `toolbus ([a-z -]+)`/gm)].map(([, name]) => `toolbus ${name ?? ""}`));
    expect([...named].toSorted()).toEqual(
      commands()
        .map(([name]) => name)
        .toSorted(),
    );
    const options = commands().flatMap(([, command]) => command.options.map((option) => option.long ?? ""));
    expect(options.filter((option) => !page.includes(`\`${option}`))).toEqual([]);
  });

  it("has the same table of exit codes as the program", () => {
    const rows = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
    expect(rows).toEqual(EXIT_MEANINGS.map(([code, meaning]) => [code, meaning]));
  });
});
