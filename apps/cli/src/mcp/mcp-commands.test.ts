import { mkdtempDisposable, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { ToolView } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { surroundingsUnderTest } from "../testing/surroundings-under-test.ts";
import { runCommandLine } from "../toolbus/program.ts";
import { serversOf } from "./list-servers.ts";

// The program is found through PATH, as in the bridge. It lists one tool and answers nothing else.
const SERVER = `
// The name of the tool is the argument. Its pattern has a back-reference, which cannot be checked in bounded time.
const more = process.argv.slice(2).map((name) => ({ name, inputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(a)\\\\1$" } } } }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method } = JSON.parse(line);
  const say = (result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  if (method === "initialize")
    say({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  else if (method === "tools/list")
    say({ tools: [{ name: "add-one", inputSchema: { type: "object" } }, { name: "look", inputSchema: { type: "object" } }, ...more] });
  else if (id !== undefined)
    console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } }));
});`;

describe("toolbus mcp test", () => {
  async function tried(servers: object, ...words: readonly string[]) {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "mcp-cli-"));
    const file = path.join(folder.path, "mcp.json");
    await writeFile(path.join(folder.path, "server.cjs"), SERVER);
    await writeFile(file, JSON.stringify({ mcpServers: servers }));
    const { around, said } = surroundingsUnderTest({ MCP_CONFIG_FILE: file, FOLDER: folder.path });
    const code = await runCommandLine(["mcp", "test", ...words], { ...around, cwd: folder.path });
    return { code, ...said() };
  }
  const server = { command: process.execPath, args: ["${FOLDER}/server.cjs"] };

  it("prints the tools of each server as the bridge would register them, with their fingerprints", async () => {
    const toolbus = { tools: { "add-one": { tier: "medium" } } };
    const { code, out } = await tried({ "My Server": { ...server, toolbus } });
    expect(code).toBe(0);
    expect(out.split("\n").slice(0, 3)).toEqual([
      "ok    My Server: 2 tools, protocol 2025-11-25",
      expect.stringMatching(/^ {6}my_server__add_one {2}write, medium {2}fingerprint [0-9a-f]{32}$/),
      expect.stringMatching(/^ {6}my_server__look {2}write, high {2}fingerprint [0-9a-f]{32}$/),
    ]);
  });

  it("shows a tool that the bridge leaves out with the reason, and exits with 1", async () => {
    const servers = { s: { ...server, args: [...server.args, "twice"] } };
    const { code, out } = await tried(servers);
    expect(code).toBe(1);
    expect(out).toMatch(/^ok {4}s: 2 tools, /);
    expect(out).not.toContain("s__twice  write");
    expect(out).toMatch(/^fail {2}s: the tool "twice" is left out: .*\/parameters\/properties\/a\/pattern/m);
    expect(JSON.parse((await tried(servers, "--json")).out)).toMatchObject({
      ok: false,
      servers: [{ ok: true, leftOut: [{ original: "twice", reason: expect.stringContaining("/pattern") as string }] }],
    });
  });

  it("names each server that cannot be used, tries the others, and exits with 1", async () => {
    const servers = { s: server, absent: { command: "no-such-program" }, bad: {}, unset: { command: "x", args: ["${NO_SUCH_VARIABLE}"] } };
    const { code, out } = await tried(servers, "--json");
    expect(code).toBe(1);
    const {
      ok,
      problems,
      servers: probed,
    } = JSON.parse(out) as {
      readonly ok: boolean;
      readonly problems: readonly string[];
      readonly servers: readonly { readonly name: string; readonly ok: boolean; readonly problem?: string }[];
    };
    expect(ok).toBe(false);
    expect(problems).toEqual([expect.stringContaining('"bad"'), expect.stringMatching(/"unset".*NO_SUCH_VARIABLE/)]);
    expect(probed.map(({ name, ok: works, problem = "" }) => [name, works, problem])).toEqual([
      ["s", true, ""],
      ["absent", false, expect.stringContaining('"no-such-program" does not exist')],
    ]);
  });

  it("says in one sentence that the file does not exist", async () => {
    const { around } = surroundingsUnderTest();
    await expect(runCommandLine(["mcp", "test", "/nowhere/mcp.json"], around)).rejects.toMatchObject({
      message: "The file of MCP servers /nowhere/mcp.json cannot be read (ENOENT): name a file that exists.",
    });
  });
});

describe("the list of MCP servers", () => {
  it("has each server once, with its tools, its writes, and why it does not answer", () => {
    const tool = (source: string, part: Partial<ToolView>): ToolView =>
      ({ source, kind: "read", availability: "ready", ...part }) as ToolView;
    const unavailable = { since: 1, reason: "it exits" };
    expect(
      serversOf([
        tool("toolset", {}),
        tool("mcp:wiki", { availability: "unavailable", unavailable }),
        tool("mcp:wiki", { kind: "write", availability: "unavailable", unavailable }),
        tool("mcp:crm", { availability: "asleep" }),
        tool("mcp:crm", {}),
        tool("mcp:old", { availability: "asleep" }),
      ]),
    ).toEqual([
      { server: "crm", tools: 2, writes: 0, state: "ready" },
      { server: "old", tools: 1, writes: 0, state: "asleep" },
      { server: "wiki", tools: 2, writes: 1, state: "unavailable", reason: "it exits" },
    ]);
  });
});
