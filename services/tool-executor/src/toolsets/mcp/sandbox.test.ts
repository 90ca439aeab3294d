import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@toolbus/contracts";
import { nobodyToAsk } from "@toolbus/tool-kit";
import { createLog } from "@toolbus/telemetry";
import { describe, expect, it, vi } from "vitest";
import { textOf } from "./call-content.ts";
import { connectServer } from "./connect-server.ts";
import { mcpBridge } from "./mcp-bridge.ts";
import { parseMcpConfig } from "./mcp-config.ts";
import { mcpServer } from "./mcp-server.ts";

const CURIOUS = fileURLToPath(new URL("../../testing/curious-server.ts", import.meta.url));
const MEMORY = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
const ROOT = fileURLToPath(new URL("../../../../../", import.meta.url));
const SYSTEM_PATH = "/usr/bin:/bin";
const quiet = createLog({ name: "test", level: "silent" });

/** Why no sandbox starts on this machine, or null. */
function whyNoSandbox(): string | null {
  try {
    execFileSync("bwrap", ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "--", "true"], { stdio: "pipe" });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const missing = whyNoSandbox();
if (missing !== null) process.stderr.write(`The tests of a server in a sandbox are skipped: bubblewrap does not work here: ${missing}\n`);

/** Starts the entry of a file, as the bridge does. */
const start = async (entry: object, { searchPath = SYSTEM_PATH, env = {} }: { searchPath?: string; env?: Record<string, string> } = {}) => {
  const { servers, problems } = parseMcpConfig(JSON.stringify({ mcpServers: { s: entry } }), { file: "mcp.json", env });
  expect(problems).toEqual([]);
  const [config] = servers;
  if (!config) throw new Error("The entry is to be a server.");
  const server = mcpServer({
    config,
    connect: () => connectServer(config, { searchPath, cwd: ROOT, tokens: () => undefined }),
    log: quiet,
    monotonic: () => performance.now(),
    random: (bytes) => new Uint8Array(bytes),
    onChanged: () => undefined,
  });
  await server.tried;
  const call = async (tool: string, args: JsonObject): Promise<string> => {
    const signal = new AbortController().signal;
    return textOf((await server.call({ tool, args, timeoutMs: 10_000, signal, ask: nobodyToAsk, onProgress: () => undefined })).content);
  };
  return {
    server,
    call,
    attempt: (how: string, what = "") => call("try", { how, what }),
    [Symbol.asyncDispose]: () => server.stop(),
  };
};
const curious = { command: process.execPath, args: [CURIOUS], sandbox: { bind: [CURIOUS] as unknown[] } };

async function folder() {
  const made = await realpath(await mkdtemp(path.join(tmpdir(), "sandbox-")));
  return { path: made, [Symbol.asyncDispose]: () => rm(made, { recursive: true }) };
}

describe.skipIf(missing !== null)("an MCP server in a sandbox", () => {
  it("has no network, not even to this machine, unless its entry permits it", async () => {
    const listener = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(listener, "listening");
    try {
      const address = listener.address();
      const port = String(typeof address === "object" && address ? address.port : 0);
      await using closed = await start(curious);
      expect(closed.server.unavailable()).toBe(null);
      expect(await closed.attempt("connect", port)).toMatch(/^E(NETUNREACH|CONNREFUSED)$/);
      await using open = await start({ ...curious, sandbox: { bind: [CURIOUS], network: true } });
      expect(await open.attempt("connect", port)).toBe("ok connected");
    } finally {
      listener.close();
    }
  });

  it("sees no home, no other files of this machine and none of its secrets, and changes nothing of the system", async () => {
    await using place = await folder();
    await writeFile(path.join(place.path, "notes"), "mine");
    await using t = await start(curious);
    // The folders above the bound files exist, with nothing else in them.
    const bound = new Set([CURIOUS, process.execPath].flatMap((file) => file.split("/")));
    for (const there of [homedir(), "/home", "/root", "/var", ROOT]) {
      const said = await t.attempt("list", there);
      const seen = said.startsWith("ok ") ? said.slice(3).split(" ") : [];
      expect([there, seen.filter((name) => !bound.has(name))]).toEqual([there, []]);
    }
    for (const there of ["/etc/shadow", path.join(place.path, "notes"), path.join(ROOT, "package.json")])
      expect([there, await t.attempt("read", there)]).toEqual([there, expect.stringMatching(/^(ENOENT|EACCES)$/)]);
    for (const there of ["/usr/here", "/here", "/etc/here", "/lib/here"])
      expect([there, await t.attempt("folder", there)]).toEqual([there, expect.stringMatching(/^E(ROFS|ACCES|PERM)$/)]);
    expect(existsSync("/usr/here")).toBe(false);
  });

  it("has a /tmp and processes of its own", async () => {
    const mine = path.join("/tmp", `sandbox-${process.pid}`);
    await using t = await start(curious);
    expect(await t.attempt("write", mine)).toBe("ok written");
    expect(existsSync(mine)).toBe(false);
    // These are the sandbox's first process, the server, and nothing of this machine.
    expect(Number((await t.attempt("processes")).slice(3))).toBeLessThanOrEqual(3);
  });

  it("reads the paths that are bound, and writes only to those that are bound to be written", async () => {
    await using place = await folder();
    const [read, write, also] = ["read", "write", "also"].map((name) => path.join(place.path, name)) as [string, string, string];
    for (const each of [read, write, also]) {
      await mkdir(each);
      await writeFile(path.join(each, "file"), "text");
    }
    await using t = await start(
      { ...curious, sandbox: { bind: [CURIOUS, "${PLACE}/read", `rw:${write}`, { path: also, write: true }] } },
      { env: { PLACE: place.path } },
    );
    for (const each of [read, write, also]) expect(await t.attempt("read", path.join(each, "file"))).toBe("ok 4 characters");
    expect(await t.attempt("write", path.join(read, "new"))).toBe("EROFS");
    for (const each of [write, also]) expect(await t.attempt("write", path.join(each, "new"))).toBe("ok written");
    expect(readdirSync(write).toSorted()).toEqual(["file", "new"]);
  });

  it("works with the memory server of the MCP project, whose file is the only one that it may write", async () => {
    await using place = await folder();
    const env = { MEMORY_FILE_PATH: path.join(place.path, "memory.jsonl") };
    const entry = { command: process.execPath, args: [MEMORY], env, sandbox: { bind: [ROOT, `rw:${place.path}`] } };
    await using t = await start(entry);
    const entities = [{ name: "pay", entityType: "service", observations: ["it is up"] }];
    expect(await t.call("create_entities", { entities })).toContain("pay");
    expect(readFileSync(env.MEMORY_FILE_PATH, "utf8")).toContain('"name":"pay"');
    await using unwritable = await start({ ...entry, sandbox: { bind: [ROOT, place.path] } });
    expect(await unwritable.call("create_entities", { entities: [{ ...entities[0], name: "ship" }] })).toMatch(/EROFS/);
  });

  it("ends with all its processes when the bridge closes it, even with one that left its process group", async () => {
    // No other process has this argument.
    const seconds = `86${process.pid}`;
    const isRunning = (): boolean =>
      readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .some((pid) => commandOf(pid).startsWith(`/bin/sleep\0${seconds}\0`));
    const t = await start(curious);
    expect(await t.attempt("escape", seconds)).toBe("ok escaped");
    await vi.waitFor(() => expect(isRunning()).toBe(true));
    await t.server.stop();
    await vi.waitFor(() => expect(isRunning()).toBe(false));
  });

  it("gets the environment that its entry defines, and none of the bridge's", async () => {
    await using t = await start({ ...curious, env: { ONLY: "this" } });
    // The kernel shows the environment with which the process began.
    const { call } = t;
    expect(Number((await call("try", { how: "read", what: "/proc/self/environ" })).split(" ")[1])).toBeLessThan(200);
  });

  it("is not started if a bound path does not exist", async () => {
    await using t = await start({ ...curious, sandbox: { bind: ["/no/such/folder"] } });
    expect(t.server.unavailable()).toBe(
      'The MCP server "s" is not available: its "sandbox" binds /no/such/folder, which does not exist or cannot be read: create it, or take it out of "bind".',
    );
  });
});

describe("a machine on which no sandbox starts", () => {
  /** Starts a server in a sandbox and one without, with a program `bwrap` in PATH, or without one. */
  const sentenceWith = async (bwrap: string | null): Promise<readonly (string | null)[]> => {
    await using place = await folder();
    if (bwrap !== null) {
      await writeFile(path.join(place.path, "bwrap"), bwrap);
      await chmod(path.join(place.path, "bwrap"), 0o755);
    }
    const { command, args } = curious;
    const entries = { boxed: { command, args, sandbox: true }, plain: { command, args } };
    const { servers } = parseMcpConfig(JSON.stringify({ mcpServers: entries }), { file: "mcp.json", env: {} });
    const reasons = new Map<string, string | null>();
    const bridge = mcpBridge({
      servers,
      connect: (config) => connectServer(config, { searchPath: place.path, cwd: "/", tokens: () => undefined }),
      clock: Date.now,
      log: { ...quiet, warn: (_: object, said: string) => void reasons.set(said, said) },
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
    });
    await bridge.tried(20_000);
    const names = bridge.toolset.list().map(({ definition }) => definition.name);
    await bridge.stop();
    return [...names, ...reasons.values()];
  };

  it("refuses a server that is to run in one, names the remedy, and serves the others", async () => {
    expect(await sentenceWith(null)).toEqual([
      "plain__try",
      'The MCP server "boxed" is not available: its sandbox needs the program bwrap: install the package bubblewrap, or take "sandbox" out of its entry. It is retried; its tools are kept in the meantime.',
    ]);
    expect(await sentenceWith("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")).toEqual([
      "plain__try",
      'The MCP server "boxed" is not available: its sandbox cannot start here (bwrap: No permissions to create new namespace): permit user namespaces on this machine, or take "sandbox" out of its entry. It is retried; its tools are kept in the meantime.',
    ]);
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
