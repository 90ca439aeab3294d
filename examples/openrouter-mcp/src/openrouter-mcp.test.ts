import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { startHttp } from "./http-server.ts";
import { openRouter, type OpenRouterOptions } from "./open-router.ts";
import { readSettings } from "./settings.ts";

const KEYS = { apiKey: "sk-or-v1-the-api-key", managementKey: "sk-or-v1-the-management-key" };
const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** An answer of the API: a body, no answer at all, or a redirect. */
type Played = { readonly status: number; readonly body: string } | "silence" | { readonly to: string };

/** A server that plays OpenRouter's API. It records every request. */
async function fakeApi(answer?: (url: string) => Played) {
  const requests: { readonly method: string; readonly url: string; readonly key: string }[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request;
    requests.push({ method, url, key: (request.headers.authorization ?? "").replace("Bearer ", "") });
    const given = answer?.(url) ?? { status: 200, body: JSON.stringify({ data: { path: url } }) };
    if (given === "silence") return;
    if ("to" in given) return void response.writeHead(302, { location: given.to }).end();
    response.writeHead(given.status, { "content-type": "application/json" }).end(given.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    requests,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function connected(transport: Transport, mode: "auto" | "legacy" = "auto") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport);
  return {
    client,
    async call(name: string, args: Record<string, unknown> = {}): Promise<{ readonly text: string; readonly isError: boolean }> {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      const [first] = content;
      return { text: first?.type === "text" ? first.text : "", isError };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Returns a client of a server over HTTP with these options, in this process. */
async function overHttp(options: OpenRouterOptions, token?: string) {
  const server = await startHttp(openRouter(options), { host: "127.0.0.1", port: 0, token });
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const connection = await connected(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }));
  return {
    ...connection,
    url: server.url,
    async [Symbol.asyncDispose]() {
      await connection.client.close();
      await server.stop();
    },
  };
}

const CALLS: readonly (readonly [name: string, args: Record<string, string>, path: string, key: string])[] = [
  ["get_credits", {}, "/credits", KEYS.managementKey],
  ["get_api_key_info", {}, "/key", KEYS.apiKey],
  ["list_models", {}, "/models", KEYS.managementKey],
  ["list_api_keys", {}, "/keys", KEYS.managementKey],
  [
    "get_api_key",
    { keyHash: "f01d52606dc8f0a8303a7b5cc3fa07109c2e346cec7c0a16b40de462992ce943" },
    "/keys/f01d52606dc8f0a8303a7b5cc3fa07109c2e346cec7c0a16b40de462992ce943",
    KEYS.managementKey,
  ],
  ["get_generation", { generationId: "gen-1740000000-AbCdEf" }, "/generation?id=gen-1740000000-AbCdEf", KEYS.apiKey],
];

describe("the OpenRouter server", () => {
  it("offers six tools that say that they only read", async () => {
    await using api = await fakeApi();
    await using server = await overHttp({ ...KEYS, baseUrl: api.baseUrl });
    const { tools } = await server.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(CALLS.map(([name]) => name));
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  });

  it("answers each call with the JSON of the REST API, gets it by GET only, and uses the key that the route needs", async () => {
    await using api = await fakeApi();
    await using server = await overHttp({ ...KEYS, baseUrl: api.baseUrl });
    for (const [name, args, path] of CALLS)
      expect(await server.call(name, args)).toEqual({ text: JSON.stringify({ data: { path: `/api/v1${path}` } }), isError: false });
    expect(api.requests).toEqual(CALLS.map(([, , path, key]) => ({ method: "GET", url: `/api/v1${path}`, key })));
  });

  it("sends no other method than GET from any line of its source", async () => {
    const files = (await readdir(path.dirname(main))).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
    const sources = await Promise.all(files.map((file) => readFile(path.join(path.dirname(main), file), "utf8")));
    const all = sources.join("\n");
    expect([...all.matchAll(/\bfetch\(/g)]).toHaveLength(1);
    expect([...all.matchAll(/method: "(\w+)"/g)].map(([, method]) => method)).toEqual(["GET"]);
    expect(all).not.toMatch(/\b(?:request|XMLHttpRequest|sendBeacon|https)\(|from "(?:node:https|undici|node:http2)"/);
  });

  it.each([
    ["get_api_key", { keyHash: "../credits" }],
    ["get_api_key", { keyHash: "a?x=1" }],
    ["get_generation", { generationId: "gen&x=1" }],
    ["get_api_key", {}],
    ["get_credits", { method: "POST" }],
    ["create_api_key", { name: "mine" }],
  ])("sends nothing for a call of %s with %j", async (name, args) => {
    await using api = await fakeApi();
    await using server = await overHttp({ ...KEYS, baseUrl: api.baseUrl });
    await server.call(name, args).then(
      ({ isError }) => expect(isError).toBe(true),
      (error: unknown) => expect(String(error)).toMatch(/not found|invalid/i),
    );
    expect(api.requests).toEqual([]);
  });

  it("never shows a key, even if the API repeats it", async () => {
    const body = JSON.stringify({ data: { label: KEYS.apiKey }, error: { message: `no ${KEYS.managementKey}` } });
    await using api = await fakeApi((url) => ({ status: url.endsWith("/models") ? 500 : 200, body }));
    await using server = await overHttp({ ...KEYS, baseUrl: api.baseUrl });
    expect(await server.call("get_api_key_info")).toEqual({
      text: body.replace(KEYS.apiKey, "[key]").replace(KEYS.managementKey, "[key]"),
      isError: false,
    });
    expect(await server.call("list_models")).toEqual({ text: "OpenRouter answered 500: no [key].", isError: true });
  });

  it("says in one sentence what is wrong", async () => {
    await using other = await fakeApi();
    const answers: Readonly<Record<string, Played>> = {
      "/api/v1/credits": { status: 401, body: "{}" },
      "/api/v1/key": "silence",
      "/api/v1/models": { status: 200, body: "x".repeat(5000) },
      "/api/v1/generation?id=gen-1": { to: `${other.baseUrl}/models` },
    };
    await using api = await fakeApi((url) => answers[url] ?? { status: 404, body: '{"error":{"message":"Not here"}}' });
    await using server = await overHttp({
      apiKey: KEYS.apiKey,
      managementKey: undefined,
      baseUrl: api.baseUrl,
      timeoutMs: 300,
      maxBytes: 4000,
    });
    const said = async (name: string, args = {}): Promise<string> => (await server.call(name, args)).text;
    expect(await said("get_credits")).toBe("OpenRouter refuses the key in OPENROUTER_API_KEY (401): check the key.");
    expect(await said("get_api_key_info")).toBe("OpenRouter did not answer within 0.3 s. Try again later.");
    expect(await said("list_models")).toBe("OpenRouter's answer has more than 4000 bytes and was not read.");
    expect(await said("list_api_keys")).toBe("OPENROUTER_MANAGEMENT_KEY is not set: start the server with it.");
    expect(await said("get_generation", { generationId: "gen-2" })).toBe("OpenRouter answered 404: Not here.");
    expect(await said("get_generation", { generationId: "gen-1" })).toMatch(/^OpenRouter cannot be reached/);
    expect(other.requests).toEqual([]);
  });
});

describe("the OpenRouter server as a process", () => {
  it.each(["auto", "legacy"] as const)("speaks stdio, with the protocol version of a client in the mode %s", async (mode) => {
    await using api = await fakeApi();
    const env = { OPENROUTER_API_KEY: KEYS.apiKey, OPENROUTER_BASE_URL: api.baseUrl };
    await using server = await connected(new StdioClientTransport({ command: process.execPath, args: [main], env }), mode);
    expect(server.client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
    expect(await server.call("get_credits")).toEqual({ text: '{"data":{"path":"/api/v1/credits"}}', isError: false });
    expect(api.requests).toEqual([{ method: "GET", url: "/api/v1/credits", key: KEYS.apiKey }]);
  });
});

describe("the OpenRouter server over HTTP", () => {
  it("answers only clients with its token, and only under /mcp", async () => {
    await using api = await fakeApi();
    await using server = await overHttp({ ...KEYS, baseUrl: api.baseUrl }, "a-token-of-16-characters");
    expect((await server.call("get_credits")).isError).toBe(false);
    const statusOf = async (url: string, headers: Record<string, string>): Promise<number> =>
      (await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" })).status;
    expect(await statusOf(server.url, {})).toBe(401);
    expect(await statusOf(server.url, { authorization: "Bearer a-token-of-16-characterx" })).toBe(401);
    expect(await statusOf(server.url.replace("/mcp", "/"), { authorization: "Bearer a-token-of-16-characters" })).toBe(404);
    expect(await statusOf(server.url, { origin: "https://evil.example" })).toBe(403);
  });
});

describe("the settings of the OpenRouter server", () => {
  const env = { OPENROUTER_API_KEY: KEYS.apiKey };
  it.each([
    ["no key", [], {}, /^Neither OPENROUTER_API_KEY nor OPENROUTER_MANAGEMENT_KEY is set/],
    ["an address without TLS", [], { ...env, OPENROUTER_BASE_URL: "http://proxy.example/v1" }, /^OPENROUTER_BASE_URL must be an https:/],
    ["an address for all and no token", ["--http", "--host", "0.0.0.0"], env, /^--host 0\.0\.0\.0 can be reached from other machines/],
    ["a token that is too short", ["--http", "--host", "0.0.0.0"], { ...env, OPENROUTER_MCP_TOKEN: "short" }, /at least 16 characters/],
    ["a wrong port", ["--http", "--port", "99999"], env, /^--port must be a number/],
    ["a key with a line end", [], { OPENROUTER_API_KEY: "sk-or\nx-secret" }, /^OPENROUTER_API_KEY is no key/],
  ])("refuse %s in one sentence without a key", (_, args, given, words) => {
    const read = readSettings(args, given);
    const message = read.ok ? "" : read.message;
    expect(message).toMatch(words);
    expect(message).not.toContain("sk-or");
  });

  it("listen on loopback without a token, and on other addresses with one", () => {
    expect(readSettings(["--http"], env)).toMatchObject({ ok: true, value: { listening: { host: "127.0.0.1", port: 4030 } } });
    const token = { ...env, OPENROUTER_MCP_TOKEN: "a-token-of-16-characters" };
    expect(readSettings(["--http", "--host", "0.0.0.0"], token)).toMatchObject({ ok: true, value: { listening: { host: "0.0.0.0" } } });
  });
});
