import { fileURLToPath } from "node:url";
import { createLog } from "@toolbus/telemetry";
import { nobodyToAsk } from "@toolbus/tool-kit";
import { afterAll, describe, expect, it } from "vitest";
import type { Attach } from "./call-content.ts";
import { clientTokens } from "./client-token.ts";
import { connectServer } from "./connect-server.ts";
import { foreignTool } from "./foreign-tool.ts";
import { startEverything, startGuardedServer } from "../../testing/guarded-server.ts";
import type { ServerAddress } from "./mcp-config.ts";
import { mcpServer } from "./mcp-server.ts";
import { meteredFetch } from "./remote-transport.ts";
import { OIDC_MACHINE, startOidcServer } from "@toolbus/oidc-server";

const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const remote = await startEverything("streamableHttp");
afterAll(() => remote[Symbol.asyncDispose]());

describe("a tool of a server", () => {
  /** Connects to a server. `run` calls a tool of it as the worker does. */
  const setup = async (address: ServerAddress) => {
    const tokens = clientTokens({ monotonic: () => performance.now(), fetch: meteredFetch });
    const log = createLog({ name: "test", level: "silent" });
    const server = mcpServer({
      config: { name: "s", address, policy: {}, tools: {} },
      connect: () => connectServer({ address }, { searchPath: "", cwd: "/", tokens }),
      log,
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
      onChanged: () => undefined,
    });
    await server.tried;
    const kept: Parameters<Attach>[0][] = [];
    const context = {
      idempotencyKey: "k",
      callId: "k",
      sessionId: "s",
      signal: new AbortController().signal,
      log,
      progress: () => undefined,
      modelUsed: () => undefined,
      attach: (media: Parameters<Attach>[0]) => `blob ${kept.push(media)}`,
      ask: nobodyToAsk,
    };
    return {
      kept,
      run: async (kind: "read" | "write", tool: string, args = {}) => {
        const base = { name: "s__tool", version: "1", description: "A tool.", parameters: { type: "object" }, timeoutMs: 10_000 } as const;
        const risk = { tier: "high" } as const;
        const made = foreignTool({ ...base, kind, risk, idempotency: { mode: "none" }, effect: "Call it." }, { server, tool });
        return made.run(args, context);
      },
      [Symbol.asyncDispose]: () => server.stop(),
    };
  };

  it.each(["read", "write"] as const)("keeps the images of its result for people (%s)", async (kind) => {
    await using t = await setup({ kind: "stdio", command: process.execPath, args: [EVERYTHING, "stdio"], env: {} });
    expect(await t.run(kind, "get-tiny-image")).toMatch(/kept for people as blob 1\]/);
    expect(t.kept).toMatchObject([{ mediaType: "image/png" }]);
    expect(await t.run(kind, "get-structured-content", { location: "New York" })).toMatchObject({ conditions: "Cloudy" });
  });

  it("has done nothing if its server refuses the new token too", async () => {
    await using provider = await startOidcServer({ accounts: {} });
    let open = true;
    await using guarded = await startGuardedServer({
      inner: remote,
      accepts: async (token) => open && (await provider.accepts(token)),
    });
    const oauth = { ...OIDC_MACHINE, tokenUrl: `${provider.issuer}/token` };
    await using t = await setup({ kind: "http", url: guarded.url, headers: {}, oauth });
    expect(await t.run("write", "echo", { message: "in" })).toContain("in");
    open = false;
    expect(await t.run("write", "echo", { message: "out" })).toMatchObject({
      code: "unavailable",
      message: `The server refused the bridge's token: check "oauth" or "headers" of its entry.`,
      options: { effect: "none" },
    });
  });

  it("has done nothing if the bridge gets no token for the call", async () => {
    await using provider = await startOidcServer({ accounts: {}, machineSeconds: 600 });
    await using guarded = await startGuardedServer({ inner: remote, accepts: provider.accepts });
    const oauth = { ...OIDC_MACHINE, tokenUrl: `${provider.issuer}/token` };
    await using t = await setup({ kind: "http", url: guarded.url, headers: {}, oauth });
    guarded.forget();
    provider.down(true);
    expect(await t.run("write", "echo", { message: "out" })).toMatchObject({
      message: expect.stringMatching(
        /^The server was not called: the token endpoint for http:.* failed: check the authorization server\.$/,
      ),
      options: { effect: "none" },
    });
  });
});
