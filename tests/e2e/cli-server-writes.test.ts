import { spawnSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CliUnderTest, cliUnderTest, expectRefusal, jsonOf, TOOLBUS } from "./testing/cli-under-test.ts";
import { type Program, startCommand } from "./testing/program.ts";
import { scratch } from "./testing/scratch.ts";

// A server that offers the tools in a file, and says so when the file changes.
const SERVER = `
const fs = require("node:fs");
const [file] = process.argv.slice(2);
const say = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const tools = () => JSON.parse(fs.readFileSync(file, "utf8"));
fs.watch(require("node:path").dirname(file), () => say({ method: "notifications/tools/list_changed" }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "initialize")
    say({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/list") say({ id, result: { tools: tools() } });
  else say({ id, error: { code: -32601, message: "unknown method" } });
});`;

const hasTerminal =
  process.platform === "linux" && /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");
const files = scratch();
afterAll(() => files.remove());

let count = 0;
let cli: CliUnderTest;
let offer: (tools: Readonly<Record<string, string>>) => void;

beforeEach(async () => {
  const folder = `server-${++count}`;
  const script = files.file(`${folder}.cjs`, SERVER);
  const list = files.file(`${folder}/tools.json`, "[]");
  // The file is replaced in one step, so that the server never reads half of it.
  offer = (tools) => {
    writeFileSync(`${list}.new`, JSON.stringify(toolsOf(tools)));
    renameSync(`${list}.new`, list);
  };
  offer({ add: "Adds.", drop: "Drops.", look: "Looks." });
  const server = { command: process.execPath, args: [script, list], toolbus: { tools: { look: { tier: "medium" } } } };
  const config = files.file(`${folder}.json`, JSON.stringify({ mcpServers: { "My Server": server } }));
  cli = await cliUnderTest({ MCP_CONFIG_FILE: config, PATH: process.env["PATH"] ?? "" });
});
afterEach(() => cli.stop());

const toolsOf = (tools: Readonly<Record<string, string>>): readonly object[] =>
  Object.entries(tools).map(([name, description]) => ({ name, description, inputSchema: { type: "object" } }));

const OF = ["--server", "my_server"];
const names = ["my_server__add", "my_server__drop", "my_server__look"];

/** Enables all waiting writes of the server, as a script does. */
async function enableAll(...more: string[]): Promise<void> {
  const asked = await cli.run(["tools", "enable", ...OF, ...more]);
  const [, hash = ""] = /--hash (sha256-\S+)/.exec(asked.stderr) ?? [];
  expect(await cli.run(["tools", "enable", ...OF, ...more, "--hash", hash, "--yes"])).toMatchObject({ code: 0, stderr: "" });
}

function atTerminal(args: string): Program {
  const command = `exec '${process.execPath}' '${TOOLBUS}' ${args}`;
  return startCommand("script", ["--quiet", "--flush", "--return", "--command", command, "/dev/null"], {
    typedTo: true,
    env: { SHELL: "/bin/sh", TERM: "xterm", ...cli.env },
  });
}

describe("toolbus tools, for a whole MCP server", () => {
  it("counts, shows and enables all waiting writes, however the server's name is spelled", async () => {
    const pending = await cli.run(["tools", "pending", "--server", "MY-server"]);
    expect(pending).toMatchObject({ code: 0, stderr: "" });
    expect(pending.stdout).toMatch(/^My Server: 3 writes, 3 pending\n\nTOOL [^]*tools show --server my_server --diff\n$/);
    expect(pending.stdout).not.toContain("file_risk_report");
    expect(await jsonOf(cli, ["tools", "pending", ...OF])).toMatchObject({ server: "My Server", counts: { pending: 3, enabled: 0 } });

    const shown = await cli.run(["tools", "show", ...OF, "--diff"]);
    for (const name of names) expect(shown.stdout).toContain(`\n${name}: pending\n`);
    const [, line = ""] = /\n {2}toolbus (tools enable .*)\n$/.exec(shown.stdout) ?? [];
    const [, hash = ""] = /^tools enable --server my_server --hash (sha256-\S+) --yes$/.exec(line) ?? [];
    expect(await jsonOf(cli, ["tools", "show", ...OF, "--diff"])).toMatchObject({ hash, writes: names.map((tool) => ({ tool })) });
    expect((await cli.run(["tools", "show", ...OF])).stdout).toMatch(/^My Server: 3 tools, 3 of them writes\n\nmy_server__add@1\nAdds\.\n/);

    expectRefusal(await cli.run(["mcp", "enable", "my server", "--hash", "sha256-x", "--yes"]), 1, /no longer those that you checked/);
    expect(await jsonOf(cli, ["tools", "enable", "--server", "My Server", "--hash", hash, "--yes"])).toEqual({
      server: "My Server",
      enabled: names.map((name) => `${name}@1`),
      lessStrict: [],
      disabled: [],
      refused: [],
    });
    expect((await cli.run(["tools", "pending", ...OF])).stdout).toBe("My Server: 3 writes, 3 enabled\n");
    expect(await cli.run(["tools", "enable", ...OF])).toMatchObject({ code: 0, stdout: "No write of My Server waits for an operator.\n" });
  });

  it.skipIf(!hasTerminal)("enables only what it has shown, also if a definition changes before the yes", async () => {
    await using enable = atTerminal("tools enable --server my_server");
    await enable.says(/does +Drops\.[^]*enable 3 writes of My Server\? y\/N /);
    offer({ add: "Adds.", drop: "Drops everything.", look: "Looks." });
    await vi.waitFor(
      async () => expect((await cli.run(["tools", "show", "my_server__drop"])).stdout).toContain("Drops everything."),
      30_000,
    );
    enable.type("y");
    const { code, stdout } = await enable.ended();
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /my_server__add@1 is enabled[^]*my_server__look@1 is enabled[^]*my_server__drop is not changed: .*registers this definition/,
    );
    expect(await jsonOf(cli, ["tools", "pending", ...OF])).toMatchObject({
      counts: { pending: 1, enabled: 2 },
      writes: [{ tool: "my_server__drop", state: "pending", granted: false }],
    });
  });

  it("sets the lowest tier of all enabled writes, and lowers it only with --accept-weaker and a yes", async () => {
    await enableAll();
    offer({ add: "Adds.", drop: "Drops.", look: "Looks.", new: "Is new." });
    await vi.waitFor(async () => expect((await cli.run(["tools", "pending", ...OF])).stdout).toContain("1 pending"), 30_000);
    expect(await jsonOf(cli, ["tools", "tier", ...OF, "critical"])).toEqual({
      server: "My Server",
      changed: [
        { tool: "my_server__add", from: "high", to: "critical" },
        { tool: "my_server__drop", from: "high", to: "critical" },
        { tool: "my_server__look", from: "medium", to: "critical" },
      ],
      unchanged: [],
      lower: [],
      notEnabled: ["my_server__new"],
      refused: [],
    });
    const kept = await cli.run(["tools", "tier", ...OF, "medium"]);
    expect(kept).toMatchObject({ code: 1, stdout: expect.stringContaining("my_server__look keeps the tier critical: --accept-weaker") });
    expectRefusal(await cli.run(["tools", "tier", ...OF, "medium", "--accept-weaker"]), 2, /no terminal to ask at: repeat this with --yes/);
    // A write whose own definition is higher falls to its own tier.
    expect(await jsonOf(cli, ["tools", "tier", ...OF, "medium", "--accept-weaker", "--yes"])).toMatchObject({
      changed: [{ to: "high" }, { to: "high" }, { tool: "my_server__look", to: "medium" }],
    });
  });

  it("switches all writes off, and on again only if asked for", async () => {
    await enableAll();
    expect(await jsonOf(cli, ["tools", "disable", ...OF])).toEqual({ server: "My Server", disabled: names, refused: [] });
    expect((await cli.run(["tools", "enable", ...OF])).stdout).toMatch(
      /waits for an operator\.\n3 writes of My Server stay switched off\./,
    );
    await enableAll("--disabled");
    expect(await jsonOf(cli, ["tools", "pending", ...OF])).toMatchObject({ counts: { enabled: 3, disabled: 0 } });
  });

  it("removes the registrations of all tools, and warns that the bridge still serves them", async () => {
    expectRefusal(await cli.run(["tools", "remove", ...OF]), 2, /no terminal to ask at: repeat this with --yes/);
    const removed = await cli.run(["tools", "remove", ...OF, "--yes"]);
    expect(removed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/removes my_server__look@1[^]*A bridge still serves 3 tools of My Server/),
    });
    await vi.waitFor(async () => expectRefusal(await cli.run(["tools", "show", ...OF]), 5, /No tool of an MCP server "my_server"/), 30_000);
    expectRefusal(
      await cli.run(["tools", "enable", ...OF]),
      5,
      /No write of an MCP server "my_server" is registered\. ".* mcp list" shows/,
    );
  });

  it("says in one line what to type instead", async () => {
    for (const line of ["pending", "show --diff", "enable", "disable", "tier high"])
      expectRefusal(
        await cli.run(["tools", ...line.split(" "), "--server", "wiki"]),
        5,
        /"wiki" is registered\. There are writes of: My Server\./,
      );
    for (const line of ["show", "remove --yes"])
      expectRefusal(await cli.run(["tools", ...line.split(" "), "--server", "wiki"]), 5, /There are tools of: My Server\./);
    expectRefusal(await cli.run(["tools", "enable", ...OF, "--yes"]), 2, /--yes needs --hash/);
  });
});
