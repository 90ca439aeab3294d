import { apiKeys, startHttpServer } from "@toolbus/runtime";
import { describe, expect, it } from "vitest";
import { client } from "./client.ts";
import { sendJson, sendProblem, serverUnderTest } from "../testing/server-under-test.ts";

type HttpServerOptions = Parameters<typeof startHttpServer>[0];

const noLine = (): void => undefined;
const never = new AbortController().signal;
const gatewayAt = (url: string, key: string | null = "a-key") => client({ url, service: "gateway", key, signal: never });

describe("a request", () => {
  it("carries its key", async () => {
    await using server = await serverUnderTest((_request, response) => sendJson(response, { fine: true }));
    expect(await gatewayAt(server.url).get("/v1/tools")).toEqual({ fine: true });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer a-key");
  });

  it.each([
    [401, "unauthenticated", 4],
    [403, "forbidden", 4],
    [403, "self_approval", 4],
    [404, "not_found", 5],
    [400, "invalid_request", 2],
    [422, "idempotency_key_reused", 2],
    [409, "conversation_busy", 1],
    [410, "expired", 1],
    [429, "rate_limited", 1],
    [500, "internal", 1],
    [503, "store_unavailable", 3],
    [503, "shutting_down", 3],
  ])("that is answered %d %s ends with exit code %d and says detail and remedy", async (status, code, exitCode) => {
    await using server = await serverUnderTest((_request, response) =>
      sendProblem(response, status, { code, detail: "It is so.", remedy: "Do this.", errors: [{ path: "/limit", message: "is odd" }] }),
    );
    await expect(gatewayAt(server.url).get("/")).rejects.toMatchObject({
      status,
      code,
      exitCode,
      message: "It is so. (/limit is odd) Do this.",
    });
  });

  it("with a refused key says which service refused it, and where the key came from", async () => {
    await using server = await serverUnderTest((_request, response) =>
      sendProblem(response, 401, { code: "unauthenticated", detail: "No." }),
    );
    const refused = client({ url: server.url, service: "approvals", key: "a-key", keySource: "TOOLBUS_APPROVER_KEY", signal: never });
    await expect(refused.get("/")).rejects.toMatchObject({
      exitCode: 4,
      message: `The approvals service at ${server.url} does not accept the key from TOOLBUS_APPROVER_KEY: it is wrong, expired, revoked, or of another Toolbus. "toolbus doctor" checks both keys.`,
    });
  });

  it("that something other than Toolbus answers says so", async () => {
    await using server = await serverUnderTest((_request, response) => response.writeHead(404).end("<html>"));
    await expect(gatewayAt(server.url).get("/")).rejects.toMatchObject({
      exitCode: 3,
      message: `${server.url} answered 404, but not as the gateway of Toolbus does: check the address.`,
    });
  });

  it("that another service of Toolbus answers says so", async () => {
    // Every service uses this HTTP server. So the test fails if the client no longer recognises the server's answer to an unknown path.
    const log: HttpServerOptions["log"] = { debug: noLine, info: noLine, warn: noLine, error: noLine, child: () => log };
    const config = { HTTPS_ONLY: "false", CORS_ORIGINS: "", AUTH_FAILURES_PER_MINUTE: 0 } as const;
    const api = { title: "Another service", description: "It has no routes." };
    const keys = apiKeys([], () => 0);
    const server = await startHttpServer({
      name: "test",
      host: "127.0.0.1",
      port: 0,
      keys,
      routes: [],
      api,
      config,
      monotonic: () => 0,
      log,
    });
    await using closing = new AsyncDisposableStack();
    closing.defer(() => server.stop());
    await expect(gatewayAt(server.url).get("/v1/approvals")).rejects.toMatchObject({
      exitCode: 3,
      message: `${server.url} lacks a route of the gateway, because it is another service or another version: check the address.`,
    });
  });

  it("does not follow a redirect with its key", async () => {
    await using other = await serverUnderTest((_request, response) => sendJson(response, {}));
    await using server = await serverUnderTest((_request, response) => response.writeHead(307, { location: other.url }).end());
    await expect(gatewayAt(server.url).get("/")).rejects.toMatchObject({ exitCode: 3 });
    expect(other.requests).toEqual([]);
  });

  it("to an address where nobody listens says how to start Toolbus", async () => {
    const server = await serverUnderTest(() => undefined);
    await server[Symbol.asyncDispose]();
    await expect(gatewayAt(server.url).get("/")).rejects.toMatchObject({
      exitCode: 3,
      message: `Nothing listens at ${server.url}: start Toolbus with "toolbus start", or name the address of its gateway with --url.`,
    });
  });

  it("that is not answered in time says so", async () => {
    await using server = await serverUnderTest(() => undefined);
    const slow = client({ url: server.url, service: "approvals", key: null, signal: never, timeoutMs: 20 });
    await expect(slow.get("/")).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/did not answer within 0\.02 s.*--approvals-url/),
    });
  });

  it("whose answer was lost is sent once more, with the same key, if it is safe to repeat", async () => {
    let n = 0;
    await using server = await serverUnderTest((request, response) => (++n === 1 ? request.socket.destroy() : sendJson(response, { n })));
    expect(await gatewayAt(server.url).post("/", {}, { "idempotency-key": "once" })).toEqual({ n: 2 });
    expect(server.requests.map((request) => request.headers["idempotency-key"])).toEqual(["once", "once"]);
  });

  it("whose answer was lost is not sent again without such a key", async () => {
    await using server = await serverUnderTest((request) => request.socket.destroy());
    await expect(gatewayAt(server.url).post("/", {})).rejects.toMatchObject({ exitCode: 3 });
    expect(server.requests).toHaveLength(1);
  });

  it("ends with the reason of the signal that stopped it", async () => {
    const stop = new AbortController();
    await using server = await serverUnderTest(() => stop.abort(new Error("enough")));
    await expect(client({ url: server.url, service: "gateway", key: null, signal: stop.signal }).get("/")).rejects.toThrow("enough");
  });
});
