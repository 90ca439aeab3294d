import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { memoryBus } from "@toolbus/bus";
import { type Json, type JsonObject, keys } from "@toolbus/contracts";
import { ownKeys } from "@toolbus/grants";
import { memoryStore, type StateStore } from "@toolbus/state";
import { createLog } from "@toolbus/telemetry";
import { nobodyToAsk, readRegistry, registerToolset, type Tool, ToolProblem } from "@toolbus/tool-kit";
import { describe, expect, it, vi } from "vitest";
import { connectServer } from "../connect-server.ts";
import { type McpBridge, mcpBridge } from "../mcp-bridge.ts";
import { parseMcpConfig } from "../mcp-config.ts";
import type { OpenedMcp } from "../opened-mcp.ts";
import { followServers } from "../start-mcp.ts";
import { invokeTool } from "../services/invoke-tool.ts";
import { openRegistering } from "./open-registering.ts";

const HOSTILE = fileURLToPath(new URL("../../../testing/hostile-server.ts", import.meta.url));
const MEMORY = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
const own = await ownKeys(["worker.mcp"]);
const log = createLog({ name: "test", level: "silent" });
const SEARCH_PATH = "/usr/bin:/bin";
/** The store of one deployment. */
const newStore = () => memoryStore({ clock: () => 1_800_000_000_000 });

/** A replica of the bridge, with the configured server `given` and the tools that register others. */
async function replica(state: StateStore, { mode = "unsandboxed" as "sandboxed" | "unsandboxed", searchPath = SEARCH_PATH } = {}) {
  const given = { command: process.execPath, args: [HOSTILE], env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" } };
  const { servers } = parseMcpConfig(JSON.stringify({ mcpServers: { given } }), { file: "mcp.json", env: {} });
  const open = (tools: Parameters<Parameters<typeof openRegistering>[0]>[0]): McpBridge =>
    mcpBridge({
      servers,
      connect: (config) => connectServer(config, { searchPath, cwd: "/", tokens: () => undefined }),
      own: tools,
      log,
      clock: Date.now,
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
    });
  const opened: OpenedMcp = await openRegistering(open, {
    state,
    identity: own.identityOf("worker.mcp"),
    trusted: own.trusted,
    log,
    mode,
    place: { searchPath },
  });
  const { bridge } = opened;
  await bridge.tried(20_000);
  const renew = () => registerToolset(state, bridge.toolset);
  await renew();
  const bus = memoryBus({ clock: Date.now });
  const announced = await followServers(opened, { renew }, { bus, state, clock: Date.now, log });
  const signal = new AbortController().signal;
  let calls = 0;
  /** Runs a write as the worker does once it has a grant. */
  const call = async (name: string, args: JsonObject, callId = `${name}-${++calls}-${Math.random()}`): Promise<Json | ToolProblem> => {
    const executor = bridge.toolset.find(name);
    if (executor?.tool.kind !== "write") throw new Error(`${name} is to be a write.`);
    const context = { log, signal, progress: () => undefined, modelUsed: () => undefined, attach: () => null, ask: nobodyToAsk };
    const prepared = await executor.tool.prepare(args, { ...context, callId, sessionId: "s" });
    return prepared instanceof ToolProblem ? prepared : await executor.tool.run(prepared, { ...context, idempotencyKey: callId });
  };
  return {
    bridge,
    call,
    register: (args: JsonObject, callId?: string) => call("mcp_register_server", args, callId),
    unregister: (server_name: string) => call("mcp_unregister_server", { server_name }),
    refresh: opened.refresh,
    tools: () => bridge.toolset.list().map(({ definition }) => definition.name),
    async [Symbol.asyncDispose]() {
      await announced.stop();
      await opened.stop();
      await bridge.stop();
      await bus.close();
    },
  };
}

const registered = async (state: StateStore): Promise<readonly string[]> =>
  (await readRegistry(state)).map(({ definition }) => definition.name).filter((name) => name.startsWith("memory__"));
const memory = { server_name: "Memory", command: process.execPath, arguments: [MEMORY] };
const problem = (result: Json | ToolProblem): readonly [string, string] =>
  result instanceof ToolProblem ? [result.code, result.message] : ["ok", JSON.stringify(result)];

describe("mcp_register_server", () => {
  it("is unregistered by a bridge that offers its own tools and no longer lets calls register servers", async () => {
    const state = newStore();
    const names = async () =>
      (await readRegistry(state)).map(({ definition }) => definition.name).filter((name) => name.startsWith("mcp_"));
    {
      await using _registering = await replica(state);
      expect((await names()).toSorted()).toEqual(["mcp_register_server", "mcp_unregister_server"]);
    }
    const bus = memoryBus({ clock: Date.now });
    const parts = { log, clock: Date.now, monotonic: () => performance.now(), random: (bytes: number) => new Uint8Array(bytes) };
    const follow = async (own: readonly Tool[]) => {
      const connect = () => Promise.reject(new Error("it has no servers"));
      const bridge = mcpBridge({ servers: [], connect, own, ...parts });
      const told = Promise.withResolvers<void>();
      const opened = { bridge, refresh: async () => undefined, stop: async () => undefined };
      const announced = await followServers(opened, { renew: async () => told.resolve() }, { bus, state, clock: Date.now, log });
      await told.promise;
      await announced.stop();
      await bridge.stop();
    };
    // A bridge whose servers have not listed their tools does not know yet which tools it has.
    await follow([]);
    expect(await names()).toHaveLength(2);
    await follow([invokeTool()]);
    expect(await names()).toEqual([]);
    await bus.close();
  });

  it("is a critical write, as is nothing else of the bridge, and unregistering is a write too", async () => {
    await using t = await replica(newStore());
    const of = (name: string) => t.bridge.toolset.find(name)?.definition;
    expect(of("mcp_register_server")).toMatchObject({ kind: "write", risk: { tier: "critical" }, source: "mcp" });
    expect(of("mcp_unregister_server")).toMatchObject({ kind: "write", risk: { tier: "high" }, source: "mcp" });
  });

  it("connects a server, whose tools are high writes of its source, on every replica and after a restart", async () => {
    const state = newStore();
    await using a = await replica(state);
    await using b = await replica(state);
    expect(await a.register(memory)).toMatchObject({
      server: "mcp:Memory",
      tools: expect.arrayContaining(["memory__create_entities"]),
      note: "9 tools registered. Each waits until an operator enables it.",
    });
    expect(a.bridge.toolset.find("memory__read_graph")?.definition).toMatchObject({
      kind: "write",
      risk: { tier: "high" },
      source: "mcp:Memory",
    });
    await vi.waitFor(async () => expect(await registered(state)).toHaveLength(9));
    await b.refresh();
    await vi.waitFor(() => expect(b.tools()).toContain("memory__read_graph"), 10_000);
    // The other replica did not unregister the tools of a server that it did not know.
    expect(await registered(state)).toHaveLength(9);
    await using restarted = await replica(state);
    expect(restarted.tools()).toContain("memory__read_graph");
  });

  it("gives the program the arguments as they are, and no variable of the bridge except PATH", async () => {
    await using t = await replica(newStore());
    await t.register({ server_name: "s", command: process.execPath, arguments: [HOSTILE, "plain", "${HOME}"] });
    const environment: unknown = JSON.parse((await t.call("s__env", {})) as string);
    const { PWD: _, SHLVL: __, _: ___, OLDPWD: ____, ...rest } = environment as Record<string, string>;
    expect(rest).toEqual({ PATH: SEARCH_PATH });
    expect(t.bridge.server("s")?.config.address).toMatchObject({ args: [HOSTILE, "plain", "${HOME}"] });
  });

  it("refuses a name that a server has, in any case, and changes no server of the operator's file", async () => {
    await using t = await replica(newStore());
    expect(problem(await t.register({ ...memory, server_name: "GIVEN" }))).toEqual([
      "mcp_server_configured",
      'The MCP server "given" is in the operator\'s file of servers. Only an operator can change it there.',
    ]);
    await t.register(memory);
    expect(problem(await t.register({ ...memory, server_name: "MEMORY" }))).toEqual([
      "mcp_server_exists",
      'There is already an MCP server "MEMORY". Unregister it first, or use another name.',
    ]);
  });

  it("stores nothing if the program does not exist, or if its sandbox cannot start", async () => {
    const state = newStore();
    await using t = await replica(state);
    expect(problem(await t.register({ server_name: "s", command: "no-such-program" }))).toEqual([
      "mcp_server_not_started",
      'The server "s" cannot be started: the command "no-such-program" does not exist or may not be run.',
    ]);
    const empty = await mkdtemp(path.join(tmpdir(), "no-bwrap-"));
    await using boxed = await replica(state, { mode: "sandboxed", searchPath: empty });
    expect(problem(await boxed.register(memory))).toEqual([
      "mcp_server_not_started",
      'The server "Memory" cannot be started: its sandbox needs the program bwrap: install the package bubblewrap, or take "sandbox" out of its entry.',
    ]);
    expect((await state.read([keys.registeredMcpServers()])).documents).toEqual([null]);
    await rm(empty, { recursive: true });
  });

  it("starts a server once, even if its call is attempted again", async () => {
    const state = newStore();
    await using t = await replica(state);
    await t.register(memory, "call-1");
    const before = t.bridge.server("memory");
    expect(await t.register(memory, "call-1")).toMatchObject({ server: "mcp:Memory" });
    expect(t.bridge.server("memory")).toBe(before);
  });
});

describe("mcp_unregister_server", () => {
  it("ends a registered server and removes its tools on every replica, whatever the case of the name", async () => {
    const state = newStore();
    await using a = await replica(state);
    await using b = await replica(state);
    await a.register(memory);
    await b.refresh();
    await vi.waitFor(() => expect(b.tools()).toContain("memory__read_graph"), 10_000);
    const server = b.bridge.server("memory");
    expect(await b.unregister("mEMORY")).toEqual({ server: "mcp:Memory", removed_tools: 9 });
    expect(b.tools()).not.toContain("memory__read_graph");
    expect(server?.unavailable()).toMatch(/is not available/);
    await a.refresh();
    expect(a.bridge.server("memory")).toBeUndefined();
    await vi.waitFor(async () => expect(await registered(state)).toEqual([]));
  });

  it("does not remove a server of the operator's file, and names what it does not find", async () => {
    await using t = await replica(newStore());
    expect(problem(await t.unregister("Given"))).toEqual([
      "mcp_server_configured",
      'The MCP server "given" is in the operator\'s file of servers. Only an operator can change it there.',
    ]);
    expect(problem(await t.unregister("wiki"))).toEqual([
      "mcp_server_not_found",
      'There is no registered MCP server "wiki". mcp_list_services lists all servers.',
    ]);
    expect(t.bridge.server("given")?.unavailable()).toBeNull();
  });
});
