import { Writable } from "node:stream";
import { OIDC_MACHINE, startOidcServer } from "@toolbus/oidc-server";
import { nobodyToAsk } from "@toolbus/tool-kit";
import { createLog } from "@toolbus/telemetry";
import { afterAll, describe, expect, it } from "vitest";
import { textOf } from "./call-content.ts";
import { clientToken, clientTokens } from "./client-token.ts";
import { connectServer } from "./connect-server.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { startEverything, startGuardedServer } from "../../testing/guarded-server.ts";
import { mcpServer } from "./mcp-server.ts";
import type { OAuthClient } from "./oauth-config.ts";
import { probeServers } from "./probe-servers.ts";
import { meteredFetch } from "./remote-transport.ts";

const { clientId, clientSecret } = OIDC_MACHINE;
const kinds = [
  ["http", "streamableHttp"],
  ["sse", "sse"],
] as const;
const servers = { streamableHttp: await startEverything("streamableHttp"), sse: await startEverything("sse") };
afterAll(() => Promise.all(Object.values(servers).map((server) => server[Symbol.asyncDispose]())));

describe("a remote MCP server that demands a token", () => {
  /** Sets up a provider, a guarded server and the bridge's connection to it. */
  const setup = async (
    oauthOf: (issuer: string) => Partial<OAuthClient>,
    { kind = "http", transport = "streamableHttp" }: { readonly kind?: "http" | "sse"; readonly transport?: "streamableHttp" | "sse" } = {},
  ) => {
    await using begun = new AsyncDisposableStack();
    const provider = begun.use(await startOidcServer({ accounts: {} }));
    const guarded = begun.use(await startGuardedServer({ inner: servers[transport], accepts: provider.accepts, issuer: provider.issuer }));
    const said: string[] = [];
    const tokens = clientTokens({ monotonic: () => performance.now(), fetch: meteredFetch });
    const address = { kind, url: guarded.url, headers: {}, oauth: { clientId, clientSecret, ...oauthOf(provider.issuer) } };
    const server = mcpServer({
      config: { name: "s", address, policy: {}, tools: {} },
      connect: () => connectServer({ address }, { searchPath: "", cwd: "/", tokens }),
      log: createLog({
        name: "test",
        level: "debug",
        destination: new Writable({ write: (line, _, done) => (said.push(String(line)), done()) }),
      }),
      monotonic: () => performance.now(),
      random: (bytes) => new Uint8Array(bytes),
      onChanged: () => undefined,
    });
    begun.defer(() => server.stop());
    await server.tried;
    const signal = new AbortController().signal;
    const open = begun.move();
    return {
      provider,
      guarded,
      server,
      log: () => said.join(""),
      tokenRequests: () => provider.requests.filter((one) => one === "POST /token").length,
      echo: async (message: string) =>
        textOf(
          (await server.call({ tool: "echo", args: { message }, timeoutMs: 10_000, signal, ask: nobodyToAsk, onProgress: () => undefined }))
            .content,
        ),
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  };

  it.each(kinds)("gets one token for all requests, from the endpoint that the entry names (%s)", async (kind, transport) => {
    await using t = await setup((issuer) => ({ tokenUrl: `${issuer}/token` }), { kind, transport });
    expect(t.server.unavailable()).toBe(null);
    expect(await t.echo("hello")).toContain("hello");
    expect(t.guarded.refused()).toBe(0);
    expect(new Set(t.guarded.tokens).size).toBe(1);
    expect(t.tokenRequests()).toBe(1);
    expect(t.log()).not.toContain(clientSecret);
    expect(t.log()).not.toContain(t.guarded.tokens[0]);
  });

  it("has the same fingerprints whatever the client credentials are", () => {
    const address = { kind: "http", url: "https://x.test/mcp", headers: {} } as const;
    const tool = { name: "echo", inputSchema: { type: "object" } } as const;
    expect(fingerprintOf({ ...address, oauth: { clientId, clientSecret } }, tool)).toBe(fingerprintOf(address, tool));
  });

  it.each(kinds)("finds the token endpoint through the descriptions of server and issuer (%s)", async (kind, transport) => {
    await using t = await setup((issuer) => ({ issuer }), { kind, transport });
    expect(t.server.unavailable()).toBe(null);
    expect(await t.echo("found")).toContain("found");
    expect(t.tokenRequests()).toBe(1);
  });

  it.each(kinds)("that refuses an old token gets a new one once, and answers the call (%s)", async (kind, transport) => {
    await using t = await setup((issuer) => ({ tokenUrl: `${issuer}/token` }), { kind, transport });
    t.guarded.forget();
    expect(await t.echo("again")).toContain("again");
    expect(new Set(t.guarded.tokens).size).toBe(2);
    expect(t.tokenRequests()).toBe(2);
  });

  it.each(kinds)(
    "gets one new token for requests that it refuses one after the other with the same old token (%s)",
    async (kind, transport) => {
      await using t = await setup((issuer) => ({ tokenUrl: `${issuer}/token` }), { kind, transport });
      t.guarded.forget();
      t.guarded.refuseNextTwoInTurn();
      const said = await Promise.all([t.echo("one"), t.echo("two")]);
      expect(said).toEqual([expect.stringContaining("one"), expect.stringContaining("two")]);
      // The server may also have announced other tools, and then the request for the list is refused as well.
      expect(t.guarded.refused()).toBeGreaterThanOrEqual(2);
      expect(t.tokenRequests()).toBe(2);
    },
  );

  it("gets no secret sent to an authorization server that only it names", async () => {
    await using t = await setup(() => ({}));
    expect(t.server.unavailable()).toBe(
      `The MCP server "s" is not available: the server names the authorization server ${t.provider.issuer}/, to which no secret is sent: if it is yours, write its address as "issuer" in "oauth".`,
    );
    expect(t.provider.requests).toEqual([]);
  });

  it("is reported with the remedy if the token endpoint refuses the client, without the secret", async () => {
    const wrong = "a-wrong-secret-of-the-machine";
    await using t = await setup((issuer) => ({ tokenUrl: `${issuer}/token`, clientSecret: wrong }));
    expect(t.server.unavailable()).toBe(
      `The MCP server "s" is not available: the token endpoint for ${t.provider.issuer}/token refused the client (invalid_client): check "clientId" and "clientSecret" in "oauth".`,
    );
    expect(t.log()).not.toContain(wrong);
    expect(t.guarded.tokens).toEqual([]);
  });

  it("is reported by a try of all servers of a file, and the other servers answer", async () => {
    await using provider = await startOidcServer({ accounts: {} });
    await using guarded = await startGuardedServer({ inner: servers.streamableHttp, accepts: provider.accepts });
    const oauth = { clientId, clientSecret: "${SECRET}", tokenUrl: `${provider.issuer}/token` };
    const file = {
      wrong: { url: guarded.url, oauth: { ...oauth, clientSecret: "${WRONG}" } },
      none: { url: guarded.url, oauth: { clientId } },
      right: { url: guarded.url, oauth },
    };
    const env = { SECRET: clientSecret, WRONG: "a-wrong-secret-of-the-machine" };
    const signal = new AbortController().signal;
    const probed = await probeServers(JSON.stringify({ mcpServers: file }), { file: "mcp.json", env, cwd: "/", stepMs: 10_000, signal });
    expect(probed.problems).toEqual([
      'The MCP server "none" in mcp.json needs "oauth.clientSecret": write the secret that the authorization server gave to Toolbus.',
    ]);
    expect(probed.servers).toMatchObject([
      { name: "wrong", ok: false, problem: expect.stringContaining('refused the client (invalid_client): check "clientId"') },
      { name: "right", ok: true },
    ]);
    for (const secret of Object.values(env)) expect(JSON.stringify(probed)).not.toContain(secret);
  });

  it("is reported with the remedy if nobody listens at the token endpoint", async () => {
    await using t = await setup(() => ({ tokenUrl: "http://127.0.0.1:1/token" }));
    expect(t.server.unavailable()).toMatch(
      /no token could be had from http:\/\/127\.0\.0\.1:1\/token .*: check that the authorization server runs, and "tokenUrl" or "issuer" in "oauth"\.$/,
    );
  });
});

describe("a token of the bridge", () => {
  const setup = async (seconds: number, scope?: string) => {
    const bodies: string[] = [];
    const provider = await startOidcServer({ accounts: {}, machineSeconds: seconds });
    let now = 0;
    const token = clientToken({
      url: "http://127.0.0.1:1/mcp",
      client: { clientId, clientSecret, tokenUrl: `${provider.issuer}/token`, ...(scope === undefined ? {} : { scope }) },
      monotonic: () => now,
      fetch: (at, init) => (bodies.push(init?.body instanceof URLSearchParams ? init.body.toString() : ""), meteredFetch(at, init)),
    });
    return {
      provider,
      token,
      bodies,
      pass: (ms: number) => (now += ms),
      requests: () => provider.requests.length,
      [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
    };
  };

  it("is kept until a minute before it expires, and then replaced", async () => {
    await using t = await setup(600);
    const first = await t.token.token();
    t.pass(539_999);
    expect(await t.token.token()).toBe(first);
    expect(t.requests()).toBe(1);
    t.pass(1);
    expect(await t.token.token()).not.toBe(first);
    expect(t.requests()).toBe(2);
  });

  it("has the scope that the entry names, and none that only the server names", async () => {
    for (const scope of [undefined, "tools"]) {
      await using t = await setup(600, scope);
      const response = new Response(null, { status: 401, headers: { "www-authenticate": 'Bearer scope="everything"' } });
      await t.token.onUnauthorized({ response, serverUrl: new URL("http://127.0.0.1:1/mcp"), fetchFn: meteredFetch });
      expect(t.bodies).toEqual([`grant_type=client_credentials${scope === undefined ? "" : "&scope=tools"}`]);
    }
  });

  it("is not looked for at another origin that a server names as the place of its own description", async () => {
    await using provider = await startOidcServer({ accounts: {} });
    const url = "http://127.0.0.1:1/mcp";
    const token = clientToken({ url, client: { clientId, clientSecret }, monotonic: () => 0, fetch: meteredFetch });
    const place = `Bearer resource_metadata="${provider.issuer}/about"`;
    const response = new Response(null, { status: 401, headers: { "www-authenticate": place } });
    await expect(token.onUnauthorized({ response, serverUrl: new URL(url), fetchFn: meteredFetch })).rejects.toThrow(
      /^no token could be had from http:\/\/127\.0\.0\.1:1\/mcp/,
    );
    expect(provider.requests).toEqual([]);
  });

  it("is that of the entry, so that the next connection has it too", () => {
    const tokens = clientTokens({ monotonic: () => 0, fetch: meteredFetch });
    const address = { kind: "http", url: "https://x.test/mcp", headers: {}, oauth: { clientId, clientSecret } } as const;
    expect(tokens(address)).toBe(tokens(address));
    expect(tokens({ ...address, url: "https://y.test/mcp" })).not.toBe(tokens(address));
    expect(tokens({ kind: "http", url: "https://x.test/mcp", headers: {} })).toBe(undefined);
  });

  it("is requested once for many calls at the same time", async () => {
    await using t = await setup(600);
    const got = await Promise.all(Array.from({ length: 20 }, () => t.token.token()));
    expect(new Set(got).size).toBe(1);
    expect(t.requests()).toBe(1);
  });

  it("is used until it expires if the authorization server is down", async () => {
    await using t = await setup(600);
    const first = await t.token.token();
    t.provider.down(true);
    t.pass(599_000);
    expect(await t.token.token()).toBe(first);
    t.pass(1000);
    await expect(t.token.token()).rejects.toThrow(/failed: check the authorization server$/);
    t.provider.down(false);
    expect(await t.token.token()).not.toBe(first);
  });
});
