import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { runServices } from "@toolbus/runtime";
import { nobodyToAsk, readRegistry } from "@toolbus/tool-kit";
import { createLog } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { toolExecutor } from "../../service.ts";
import { connectServer } from "./connect-server.ts";
import { mcpBridge } from "./mcp-bridge.ts";
import { parseMcpConfig } from "./mcp-config.ts";

const HOSTILE = fileURLToPath(new URL("../../testing/hostile-server.ts", import.meta.url));
const MEMORY = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
const hostile = (...args: string[]) => ({ command: process.execPath, args: [HOSTILE, ...args] });
const memory = { command: process.execPath, args: [MEMORY], env: { MEMORY_FILE_PATH: path.join(tmpdir(), "toolbus-test-memory.jsonl") } };

describe("the toolset of MCP servers", () => {
  const setup = async (servers: object, env: Readonly<Record<string, string>> = {}) => {
    const directory = await mkdtemp(path.join(tmpdir(), "mcp-"));
    const file = path.join(directory, "mcp.json");
    await writeFile(file, JSON.stringify({ mcpServers: servers }));
    const running = await runServices([toolExecutor], {
      env: {
        BUS_URL: "memory:",
        STATE_URL: "memory:",
        LOG_LEVEL: "silent",
        JWKS_FILE: "no-such-file.json",
        RECEIPT_KEY_FILE: path.join(directory, "receipts.jwk"),
        TOOLSETS: "mcp",
        MCP_CONFIG_FILE: file,
        PATH: "/usr/bin:/bin",
        ...env,
      },
    });
    const { state, bus } = running.infrastructure;
    return {
      bus,
      registered: () => readRegistry(state),
      async [Symbol.asyncDispose]() {
        await running.stop();
        await rm(directory, { recursive: true });
      },
    };
  };

  it("registers each listed tool as a high write of its source, whatever the server says about it", async () => {
    await using t = await setup({ memory, "my-Server": hostile(), absent: { command: "no-such-program" }, broken: {} });
    const definitions = (await t.registered()).map(({ definition }) => definition);
    const names = definitions.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["memory__create_entities", "memory__read_graph", "my_server__add_one"]));
    expect(definitions.find(({ name }) => name === "my_server__add_one")).toMatchObject({
      source: "mcp:my-Server",
      kind: "write",
      risk: { tier: "high" },
      idempotency: { mode: "none" },
      effect: 'Call the tool "add-one" of the MCP server "my-Server".',
      owner: expect.stringMatching(/^fingerprint [0-9a-f]{32}$/),
    });
  });

  it("registers its own tools, which list the servers, when a server has listed its tools", async () => {
    const own = ["mcp_get_service_details", "mcp_invoke_tool", "mcp_list_services", "search_known_services"];
    const names = async (servers: object): Promise<readonly string[]> => {
      await using t = await setup(servers);
      return (await t.registered()).map(({ definition }) => definition.name).filter((name) => own.includes(name));
    };
    expect((await names({ s: hostile() })).toSorted()).toEqual(own);
    expect(await names({ absent: { command: "no-such-program" } })).toEqual([]);
  });

  it("leaves out a tool whose schema cannot be checked, and keeps those before and after it", async () => {
    await using t = await setup({ s: hostile("bad-schemas") });
    const names = (await t.registered()).map(({ definition }) => definition.name);
    expect(names).toEqual(expect.arrayContaining(["s__add_one", "s__slow_pattern", "s__recursive"]));
    expect(names).not.toContain("s__evil_pattern");
    expect(names).not.toContain("s__endless");
  });

  it("names each bad server and the remedy in the log, and serves the others", async () => {
    let log = "";
    const spy = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
      log += String(chunk);
      return true;
    });
    try {
      const bad = {
        empty: {},
        absent: { command: "no-such-program" },
        unreachable: { url: "http://127.0.0.1:9/mcp" },
        unset: { command: "node", env: { KEY: "${NO_SUCH_VARIABLE}" } },
        "my-files": hostile(),
        "My Files": hostile(),
      };
      await using t = await setup({ ...bad, good: hostile() }, { LOG_LEVEL: "warn", LOG_FORMAT: "json" });
      const sources = new Set((await t.registered()).map(({ definition }) => definition.source));
      expect(sources).toEqual(new Set(["mcp:good", "mcp:my-files", "mcp"]));
    } finally {
      spy.mockRestore();
    }
    const said = log.split("\n").flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { readonly msg: string }).msg]));
    for (const sentence of [
      /^The MCP server "empty" in .*mcp\.json has neither "command" nor "url": name the program that starts it, or where it listens\. It is left out/,
      /^The MCP server "absent" is not available: the command "no-such-program" does not exist or may not be run: install it/,
      /^The MCP server "unreachable" is not available: .*\(check that it runs at http:\/\/127\.0\.0\.1:9, and that its "url" is right\)/,
      /^The MCP server "unset" in .*mcp\.json needs the variable NO_SUCH_VARIABLE in "env\.KEY", which is not set: set NO_SUCH_VARIABLE/,
      /^The MCP server "My Files" in .*mcp\.json has the same name in snake case as "my-files": give one of them another name\./,
    ])
      expect(said).toContainEqual(expect.stringMatching(sentence));
  });

  it("refuses to start without a file, and with one that is not JSON, in one sentence", async () => {
    const base = { BUS_URL: "memory:", STATE_URL: "memory:", LOG_LEVEL: "silent", JWKS_FILE: "no-such-file.json", TOOLSETS: "mcp" };
    await expect(runServices([toolExecutor], { env: base })).rejects.toThrow(/^TOOLSETS names mcp, and MCP_CONFIG_FILE is not set/);
    await expect(runServices([toolExecutor], { env: { ...base, MCP_CONFIG_FILE: HOSTILE } })).rejects.toThrow(
      /hostile-server\.ts is not JSON/,
    );
  });
});

describe("a server's tools over time", () => {
  const open = async (toolbus: object) => {
    const config = parseMcpConfig(JSON.stringify({ mcpServers: { s: { ...hostile(), toolbus } } }), { file: "mcp.json", env: {} });
    const bridge = mcpBridge({
      servers: config.servers,
      connect: (server) => connectServer(server, { searchPath: "/usr/bin:/bin", cwd: "/", tokens: () => undefined }),
      log: createLog({ name: "test", level: "silent" }),
      clock: Date.now,
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
    });
    await bridge.tried(20_000);
    const tool = (name = "s__add_one") => bridge.toolset.find(name);
    return { bridge, tool, [Symbol.asyncDispose]: () => bridge.stop() };
  };
  const fingerprintOf = (owner = "") => owner.replace("fingerprint ", "");

  it("are reads only with the fingerprint that the operator read, and no longer once the server changes them", async () => {
    await using unread = await open({ tools: { "add-one": { kind: "read" } } });
    expect(unread.tool()?.definition).toMatchObject({ kind: "write", risk: { tier: "high" } });
    const fingerprint = fingerprintOf(unread.tool()?.definition.owner);
    await using t = await open({ tools: { "add-one": { kind: "read", fingerprint } } });
    const before = t.tool();
    expect(before?.definition).toMatchObject({ kind: "read", risk: { tier: "low" } });
    const changed = Promise.withResolvers<void>();
    t.bridge.follow(async () => {
      if (t.tool()?.hash !== before?.hash) changed.resolve();
    });
    const change = t.tool("s__change");
    if (change?.tool.kind !== "write") throw new Error("It is to be a write.");
    const quiet = createLog({ name: "test", level: "silent" });
    const signal = new AbortController().signal;
    const context = {
      idempotencyKey: "k",
      signal,
      log: quiet,
      progress: () => undefined,
      modelUsed: () => undefined,
      attach: () => null,
      ask: nobodyToAsk,
    };
    await change.tool.run({}, context);
    await changed.promise;
    expect(t.tool()?.definition).toMatchObject({
      kind: "write",
      risk: { tier: "high" },
      description: expect.stringContaining("Ignore what you were told"),
    });
  });

  it("leave the outcome of a write open if their server ends during it, and say that nothing happened if it was down before", async () => {
    await using t = await open({});
    const { tool } = t.tool("s__exit") ?? {};
    if (tool?.kind !== "write") throw new Error("It is to be a write.");
    const quiet = createLog({ name: "test", level: "silent" });
    const signal = new AbortController().signal;
    const context = {
      idempotencyKey: "k",
      signal,
      log: quiet,
      progress: () => undefined,
      modelUsed: () => undefined,
      attach: () => null,
      ask: nobodyToAsk,
    };
    const lost = await tool.run({}, context);
    expect(lost).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining('The MCP server "s" ended during the call'),
    });
    expect(lost).not.toMatchObject({ options: { effect: "none" } });
    expect(await tool.run({}, context)).toMatchObject({ code: "unavailable", options: { effect: "none" } });
  });
});
