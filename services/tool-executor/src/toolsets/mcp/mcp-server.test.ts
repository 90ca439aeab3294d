import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { createLog } from "@toolbus/telemetry";
import { nobodyToAsk } from "@toolbus/tool-kit";
import { describe, expect, it, vi } from "vitest";
import { connectServer } from "./connect-server.ts";
import { mcpServer, nextWaitMs, ServerDown, ServerLost } from "./mcp-server.ts";
import { type Attach, contentOf, textOf } from "./call-content.ts";
import type { ServerAddress } from "./mcp-config.ts";
import { MAX_LINE_BYTES } from "./stdio-transport.ts";

type Media = Parameters<Attach>[0];

const HOSTILE = fileURLToPath(new URL("../../testing/hostile-server.ts", import.meta.url));
const BRIDGE = fileURLToPath(new URL("../../testing/bridge-to-kill.ts", import.meta.url));
const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
/** Compiled code saves half of the time of a small program. */
const compiled = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "" };
const node = (file: string, ...args: string[]): ServerAddress => ({
  kind: "stdio",
  command: process.execPath,
  args: [file, ...args],
  env: compiled,
});

describe("an MCP server behind the bridge", () => {
  /** Sets up a server. `next(ok)` waits for a change after which the condition is true. */
  const setup = (address: ServerAddress, { stepMs = 10_000 } = {}) => {
    const listeners = new Set<() => void>();
    const server = mcpServer({
      config: { name: "s", address, policy: {}, tools: {} },
      connect: () => connectServer({ address }, { searchPath: "/usr/bin:/bin", cwd: "/", tokens: () => undefined }),
      log: createLog({ name: "test", level: "silent" }),
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
      onChanged: () => listeners.forEach((listener) => listener()),
      stepMs,
    });
    return {
      server,
      call: (tool: string, { args = {}, timeoutMs = 10_000, signal = new AbortController().signal, progress = [] as unknown[] } = {}) =>
        server.call({ tool, args, timeoutMs, signal, ask: nobodyToAsk, onProgress: (one) => progress.push(one) }),
      next(ok: () => boolean): Promise<void> {
        const { promise, resolve } = Promise.withResolvers<void>();
        const look = (): void => {
          if (!ok()) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
        return promise;
      },
      [Symbol.asyncDispose]: () => server.stop(),
    };
  };
  const text = async (result: Promise<CallToolResult>): Promise<string> => textOf((await result).content);

  it("lists, answers, reports its progress (server-everything of the MCP project)", async () => {
    await using t = setup(node(EVERYTHING, "stdio"));
    await t.server.tried;
    expect(t.server.unavailable()).toBe(null);
    expect(t.server.catalogue()?.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo", "get-sum", "get-tiny-image"]));
    expect(await text(t.call("get-sum", { args: { a: 2, b: 40 } }))).toContain("42");
    expect(contentOf(await t.call("get-structured-content", { args: { location: "New York" } }))).toMatchObject({ conditions: "Cloudy" });
    const kept: Media[] = [];
    const attach = (media: Media): string => `blob ${kept.push(media)}`;
    const described = contentOf(await t.call("get-tiny-image"), attach);
    expect(described).toMatch(/\[image image\/png, \d+ bytes, kept for people as blob 1\]/);
    expect(kept.map(({ mediaType, bytes }) => [mediaType, Buffer.from(bytes.subarray(1, 4)).toString()])).toEqual([["image/png", "PNG"]]);
    expect(contentOf(await t.call("get-tiny-image"), () => null)).toMatch(/\[image image\/png, \d+ bytes, not kept\]/);
    const progress: unknown[] = [];
    await t.call("trigger-long-running-operation", { args: { duration: 1, steps: 2 }, progress });
    // The last progress message may arrive with the answer, and is then ignored.
    expect(progress[0]).toEqual({ fraction: 0.5 });
  });

  it("answers over Streamable HTTP as it does over pipes", async () => {
    const port = await closedPort();
    const child = spawn(process.execPath, [EVERYTHING, "streamableHttp"], {
      env: { PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    try {
      await once(child.stderr, "data");
      await using t = setup({ kind: "http", url: `http://127.0.0.1:${port}/mcp`, headers: {} });
      await t.next(() => t.server.unavailable() === null);
      const progress: unknown[] = [];
      await t.call("trigger-long-running-operation", { args: { duration: 1, steps: 2 }, progress });
      // The last progress message may arrive with the answer, and is then ignored.
      expect(progress[0]).toEqual({ fraction: 0.5 });
      child.kill("SIGKILL");
      await expect(t.call("echo", { args: { message: "gone" } })).rejects.toThrow(/./);
      await t.next(() => t.server.unavailable() !== null);
      await expect(t.call("echo")).rejects.toThrow(ServerDown);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("ends when the bridge closes it", async () => {
    const t = setup(node(HOSTILE));
    await t.server.tried;
    const pid = Number((await text(t.call("add-one"))).slice(4));
    await t.server.stop();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
  });

  it("dies with the bridge that is killed, even if it ignores the end of its input", async () => {
    const bridge = spawn(process.execPath, [BRIDGE], { stdio: ["ignore", "pipe", "inherit"] });
    const [said] = (await once(bridge.stdout, "data")) as [Buffer];
    const pid = Number(/pid (\d+)/.exec(said.toString())?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    bridge.kill("SIGKILL");
    // A process remains a zombie until somebody waits for it.
    const state = async (): Promise<string> =>
      (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") gone")).replace(/^.*\) (\w+).*$/s, "$1");
    await vi.waitFor(async () => expect(await state()).toMatch(/^(gone|Z)$/));
  });

  it("is notified that nobody waits any more, and continues with other calls", async () => {
    await using t = setup(node(EVERYTHING, "stdio"));
    await t.server.tried;
    const stop = new AbortController();
    const waiting = t.call("trigger-long-running-operation", { args: { duration: 60, steps: 600 }, signal: stop.signal });
    stop.abort(new Error("The call was cancelled."));
    await expect(waiting).rejects.toThrow("The call was cancelled.");
    expect(await text(t.call("echo", { args: { message: "still here" } }))).toContain("still here");
  });

  it("that ends in the middle of a call loses that call, keeps its list, refuses at once, and comes back", async () => {
    await using t = setup(node(HOSTILE));
    await t.server.tried;
    const before = await text(t.call("add-one"));
    await expect(t.call("exit")).rejects.toThrow(ServerLost);
    await t.next(() => t.server.unavailable() !== null);
    expect(t.server.catalogue()).toHaveLength(6);
    await expect(t.call("add-one")).rejects.toThrow(ServerDown);
    await t.next(() => t.server.unavailable() === null);
    expect(await text(t.call("add-one"))).not.toBe(before);
  });

  it.each([
    ["hangs", /^The MCP server "s" is not available: The handshake took longer than 1500 ms\.$/],
    ["ends", /^The MCP server "s" is not available: .*\(it said: I have no configuration\)\.$/],
    ["endless-line", /^The MCP server "s" is not available: It sent a line of more than 4 MiB\.$/],
  ])("that %s is reported in one sentence", async (mode, sentence) => {
    await using t = setup(node(HOSTILE, mode), { stepMs: 1500 });
    await t.server.tried;
    expect(t.server.unavailable()).toMatch(sentence);
  });

  it("whose command is missing, or whose address is dead, is reported with the remedy", async () => {
    await using missing = setup({ kind: "stdio", command: "no-such-program", args: [], env: {} });
    await using nobody = setup({ kind: "http", url: `http://127.0.0.1:${await closedPort()}/mcp`, headers: {} });
    await Promise.all([missing.server.tried, nobody.server.tried]);
    expect(missing.server.unavailable()).toBe(
      'The MCP server "s" is not available: the command "no-such-program" does not exist or may not be run: install it, or write its full path.',
    );
    expect(nobody.server.unavailable()).toMatch(
      /^The MCP server "s" is not available: connect ECONNREFUSED 127\.0\.0\.1:\d+ \(check that it runs at http:\/\/127\.0\.0\.1:\d+, and that its "url" is right\)\.$/,
    );
  });

  it("that floods standard error still answers", async () => {
    await using t = setup(node(HOSTILE, "stderr"));
    await t.server.tried;
    expect(await text(t.call("add-one"))).toContain("pid");
  });

  it("that answers 50 MB loses its connection, not the bridge", async () => {
    await using t = setup(node(HOSTILE));
    await t.server.tried;
    await expect(t.call("huge")).rejects.toThrow(ServerLost);
    await t.next(() => t.server.unavailable()?.includes("more than 4 MiB") === true);
  });

  it("that ends a line a few bytes over the limit loses its connection too", async () => {
    await using t = setup(node(HOSTILE, "", String(MAX_LINE_BYTES)));
    await t.server.tried;
    await expect(t.call("huge")).rejects.toThrow(ServerLost);
  });

  it("is tried again after a failed attempt, and the waits double up to a minute until a connection has held", async () => {
    let attempts = 0;
    const server = mcpServer({
      config: { name: "s", address: node(HOSTILE), policy: {}, tools: {} },
      connect: () => Promise.reject(new Error(`attempt ${++attempts} fails`)),
      log: createLog({ name: "test", level: "silent" }),
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
      onChanged: () => undefined,
    });
    await server.tried;
    await vi.waitFor(() => expect(server.unavailable()).toBe('The MCP server "s" is not available: attempt 2 fails.'), { timeout: 3000 });
    await server.stop();
    expect([250, 500, 40_000, 60_000].map((before) => nextWaitMs(before, 0))).toEqual([500, 1000, 60_000, 60_000]);
    expect([nextWaitMs(8000, 29_999), nextWaitMs(8000, 30_000)]).toEqual([16_000, 250]);
  });

  it("that never answers is abandoned at the call's own time-out", async () => {
    await using t = setup(node(HOSTILE));
    await t.server.tried;
    await expect(t.call("wait", { timeoutMs: 50 })).rejects.toThrow("The call took longer than 50 ms.");
    expect(t.server.unavailable()).toBe(null);
  });

  it("gets the environment that it is given and nothing else", async () => {
    await using t = setup({ ...node(HOSTILE), env: { ONLY: "this" } } as ServerAddress);
    await t.server.tried;
    const { PWD: _, SHLVL: __, _: ___, OLDPWD: ____, ...rest } = JSON.parse(await text(t.call("env"))) as Record<string, string>;
    expect(rest).toEqual({ ONLY: "this" });
  });
});

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
