import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askingRun, type CliUnderTest, cliUnderTest, RELEASE, waitingRun } from "./testing/cli-under-test.ts";
import { inMemory } from "./testing/dead-letter-places.ts";
import { deadLettersIn } from "./testing/dead-letters-under-test.ts";
import { approve, call } from "./testing/http-client.ts";
import { type Ended, startCommand } from "./testing/program.ts";
import { taggedRepository } from "./testing/scratch.ts";

const ORDERS = path.join(import.meta.dirname, "../../examples/orders-worker");
const [POLICY, DEFINITION] = [path.join(ORDERS, "policy.yaml"), path.join(ORDERS, "issue_refund.json")];
const COMPATIBILITY = path.join(import.meta.dirname, "../../docs/compatibility.json");
const SUITE = path.join(import.meta.dirname, "../../evals/golden-traces");
const REFUND = '{"order":"ORD-1","amount":80,"reason":"broken"}';
const TOOL = "file_risk_report";
const ALERT = { labels: { alertname: "Errors", release: RELEASE } };

let cli: CliUnderTest;
beforeAll(async () => {
  cli = await cliUnderTest();
});
afterAll(() => cli.stop());

/** Returns the arguments of a command line that works. It is a function because the arguments contain ids. */
type Line = () => readonly string[] | Promise<readonly string[]>;

const approval = async (...more: string[]) => [(await waitingRun(cli)).approvalId, ...more];
/** Makes a conversation without messages and returns its id. */
const conversation = async () =>
  String(((await call(`${cli.gateway}/v1/conversations`, cli.user, {})).body as { conversationId: string }).conversationId);
const run = async (...more: string[]) => [(await waitingRun(cli)).runId, ...more];

const LABELS =
  "labels: 1\nquestions: { q: Is it? }\nexamples: [{ criterion: q, answer: a, label: yes }, { criterion: q, answer: b, label: no }]\n";
/** Writes the result of an evaluation with one trial and returns its path. */
const evalResult = () =>
  cli.files.file(
    "result.json",
    JSON.stringify({
      suite: "made-up",
      suiteHash: "h",
      scenarioHashes: { one: "h1" },
      tags: {},
      models: {},
      startedAt: "2026-11-29T06:00:00.000Z",
      endedAt: "2026-11-29T06:01:00.000Z",
      trials: [
        {
          scenario: "one",
          variant: "default",
          repeat: 1,
          status: "passed",
          scores: [],
          usage: { rounds: 1, toolCalls: 1, inputTokens: 1, outputTokens: 1, costMicroUsd: null, elapsedMs: 1 },
        },
      ],
    }),
  );

/** Every command, with command lines that succeed. If a command is missing here, the first test fails. */
const LINES: Readonly<Record<string, readonly Line[]>> = {
  demo: [() => ["--repo", taggedRepository(cli.files.at("repo")), "--data", cli.files.data(), "--approve"]],
  chat: [() => ["hello"]],
  investigate: [() => [RELEASE, "--no-wait"], () => ["--alert", cli.files.file("alert.json", JSON.stringify(ALERT))]],
  "eval run": [() => [SUITE, "--out", cli.files.at("evaluation")]],
  "eval add": [async () => [...(await run()), "--suite", cli.files.at("suite")]],
  "eval report": [() => [evalResult()], () => [evalResult(), "--format", "html"], () => [evalResult(), "--out", cli.files.at("report.md")]],
  "eval compare": [() => [evalResult(), evalResult()]],
  "eval judge": [() => [cli.files.file("labels.yaml", LABELS)]],
  "eval baseline save": [() => [evalResult(), "1.0.0", "--folder", cli.files.at("baselines")]],
  "eval baseline compare": [() => [evalResult(), "--folder", cli.files.at("baselines")]],
  "runs list": [() => []],
  "runs record": [run, async () => [...(await run()), "--out", cli.files.at("record.json")]],
  "runs replay": [run],
  "runs show": [run],
  "runs why": [run],
  "runs cancel": [run],
  "runs answer": [async () => [(await askingRun(cli)).runId, "red"]],
  "conversations list": [() => []],
  "conversations delete": [async () => [await conversation(), "--yes"]],
  "approvals list": [() => [], () => ["--all", "--since", "1h"]],
  "approvals show": [approval],
  "approvals approve": [() => approval("--yes")],
  "approvals deny": [() => approval("--yes")],
  "approvals revise": [() => approval("--yes", "--comment", "Make it high")],
  "approvals insights": [() => []],
  "approvals adopt": [() => [], () => ["--yes"]],
  "approvals reseal": [() => []],
  "policy check": [() => [POLICY]],
  "policy explain": [() => [POLICY, "--tool", "issue_refund", "--args", REFUND, "--definition", DEFINITION]],
  "policy diff": [() => [POLICY, POLICY]],
  "audit list": [() => [], () => ["--chain", "system"]],
  "audit export": [() => [cli.files.at("audit.jsonl"), "--chain", "system"]],
  "audit checkpoint": [() => ["--chain", "system"]],
  evidence: [approval, () => approval("--out", cli.files.at("evidence.json"))],
  verify: [() => [cli.files.at("evidence.json")]],
  "mcp list": [() => []],
  "mcp add": [
    () => ["wiki", "--file", cli.files.at("added-mcp.json"), "wiki-server"],
    () => ["far", "--file", cli.files.at("added-mcp.json"), "--address", "https://wiki.test/mcp"],
  ],
  "mcp remove": [() => ["wiki", "--file", cli.files.file("removed-mcp.json", JSON.stringify({ mcpServers: { wiki: { command: "x" } } }))]],
  "mcp test": [() => [cli.files.file("mcp.json", JSON.stringify({ mcpServers: {} }))]],
  "tools list": [() => []],
  "tools show": [() => ["get_release_summary"], () => [TOOL, "--diff"]],
  "tools call": [() => ["get_release_summary", JSON.stringify({ release_id: RELEASE })]],
  "tools pending": [() => ["--all"]],
  "tools disable": [() => [TOOL, "--yes"]],
  "tools enable": [async () => [TOOL, "--hash", await hash(), "--yes"]],
  "tools tier": [() => [TOOL, "critical"]],
  "tools remove": [() => [TOOL, "--yes"]],
  "tools new": [() => ["stock", "--directory", cli.files.at("stock-worker")]],
  "tools stamp": [() => [], () => ["--running"], () => ["--out", cli.files.at("stamp.json")]],
  "upgrade manifest": [() => []],
  "upgrade check": [() => ["--from", COMPATIBILITY]],
  "era show": [() => []],
  "era raise": [() => ["--reason", "a test", "--hold"]],
  "era held": [() => []],
  "era resume": [() => ["--all"]],
  backup: [() => [cli.files.at("copy")]],
  restore: [() => [cli.files.at("copy"), "--data", cli.files.at("restored")]],
  keys: [() => ["--data", cli.files.at("keys")]],
  "keys add": [() => ["bo", "--data", cli.files.at("keys"), "--to", cli.files.at("keys.json")]],
  "keys list": [() => ["--data", cli.files.at("keys"), "--to", cli.files.at("keys.json")]],
  "keys revoke": [() => ["bo", "--data", cli.files.at("keys"), "--to", cli.files.at("keys.json")]],
  "keys rotate": [() => ["gateway", "--data", cli.files.at("keys")]],
  permissions: [() => ["--bus", "nats://broker", "--state", "redis://redis", "--out", cli.files.at("permissions")]],
  "broker policies": [() => ["--bus", "amqp://broker/production"], () => ["--bus", "nats://broker"]],
  doctor: [() => []],
};
/** These commands need dead letters, so a separate suite below tests them. */
const LETTERS = ["dead-letters list", "dead-letters show", "dead-letters replay", "dead-letters dismiss"];
/** This command needs an MCP server, so mcp-bridge.test.ts tests it. */
const BRIDGED = ["mcp enable", "mcp disable"];
/** Commands without a single document. The first two print one document per line while events happen. The others print no document. */
const OTHERWISE = ["runs watch", "approvals watch", "start", "mcp serve"];

/** Returns the commands that the help lists. Aliases are left out, because they have no examples. */
async function commandsIn(help: string, before: readonly string[] = []): Promise<readonly string[]> {
  const [, listed = ""] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = ""]) => [...before, name]);
  const below = await Promise.all(names.map(async (name) => commandsIn((await cli.run([...name, "--help"])).stdout, name)));
  return [...(before.length > 0 && help.includes("\nExamples:") ? [before.join(" ")] : []), ...below.flat()];
}

async function hash(): Promise<string> {
  const { stdout } = await cli.run(["tools", "show", TOOL, "--diff"]);
  return /sha256-[\w-]+/.exec(stdout)?.[0] ?? "";
}

/** Expects exactly one document on standard output. `JSON.parse` fails if there is other text or a second document. */
function expectOneDocument({ stdout }: Ended): void {
  expect(stdout).toMatch(/^[{[]/);
  expect(() => void JSON.parse(stdout)).not.toThrow();
}

describe("--json", () => {
  it("is tested below for every existing command, and for no other", async () => {
    const commands = await commandsIn((await cli.run(["--help"])).stdout);
    expect([...Object.keys(LINES), ...LETTERS, ...BRIDGED, ...OTHERWISE].toSorted()).toEqual(commands.toSorted());
  });

  it("of runs watch is one document a line, the last of them the end", async () => {
    const { runId, approvalId } = await waitingRun(cli);
    await approve(cli, approvalId);
    const { code, stdout } = await cli.run(["runs", "watch", runId, "--json"]);
    expect(code).toBe(0);
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({ type: "run.completed" });
  });

  const lines = Object.entries(LINES).flatMap(([name, made]) => made.map((line, n) => [name, n + 1, line] as const));

  it.each(lines)("of %s (%i) is one document and nothing else", async (name, _n, line) => {
    const ended = await cli.run([...name.split(" "), ...(await line()), "--json"]);
    expect({ code: ended.code, stderr: ended.code === 0 ? "" : ended.stderr }).toEqual({ code: 0, stderr: "" });
    expectOneDocument(ended);
  });

  it("is empty for start, which reports by its exit code", async () => {
    expect(await cli.run(["start", "--json"])).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/leave --json out/) });
  });

  it("of npm run demo is one document after npm's own lines, and alone with -s", async () => {
    const flags = ["--repo", taggedRepository(cli.files.at("shop")), "--data", cli.files.data(), "--approve", "--json"];
    const npm = (...before: readonly string[]) => startCommand("npm", ["run", ...before, "demo", "--", ...flags], {}).ended();
    expectOneDocument(await npm("-s"));
    const { stdout } = await npm();
    expect(stdout).toMatch(/^\n> .*\n> .*\n\n\{/);
    expectOneDocument({ code: 0, signal: null, stderr: "", stdout: stdout.slice(stdout.indexOf("\n{") + 1) });
  });
});

describe("--json of a dead letter", () => {
  const system = deadLettersIn(() => inMemory);

  it.each(LETTERS)("%s is one document and nothing else", async (name) => {
    const letterId = await system().given("run.wake", "[]");
    const ended = await system().cli(...name.split(" "), ...(name.endsWith("list") ? [] : [letterId]), "--json");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expectOneDocument(ended);
  });

  it.each(["show", "replay"])("%s is empty if there is none", async (command) => {
    expect(await system().cli("dead-letters", command, `dl_00_${"0".repeat(26)}`, "--json")).toMatchObject({ code: 5, stdout: "" });
  });
});
