import { connect } from "node:net";
import { problemCodes, type Role } from "@toolbus/contracts";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { Refusal } from "../refusal.ts";
import type { Principal } from "./api-keys.ts";
import { type HttpServerOptions, startHttpServer } from "./http-server.ts";
import { documented, type PlainRoute, serverOptions } from "../testing/http-under-test.ts";
import { HttpProblem } from "./problem.ts";

describe("an HTTP server", () => {
  it("hands each request to its route with the principal of its key", async () => {
    const seen: Principal[] = [];
    const route = (url: string, access: PlainRoute["access"]): PlainRoute => ({
      method: "GET",
      url,
      access,
      handle: async (_request, _reply, principal) => ({ hello: seen.push(principal) }),
    });
    await using t = await setup([route("/mine", ["user"]), route("/open", "public")]);
    expect(await t.get("/mine", "user")).toMatchObject({ status: 200, body: { hello: 1 } });
    expect(await t.get("/open", "user")).toMatchObject({ status: 200, body: { hello: 2 } });
    expect(seen).toEqual([
      { id: "user", tenant: "acme", roles: ["user"], scopes: [], keyId: "user" },
      { id: "", tenant: "", roles: [], scopes: [], keyId: "" },
    ]);
  });

  it("accepts any of several roles and names all of them to other callers", async () => {
    await using t = await setup([{ method: "GET", url: "/both", access: ["user", "operator"], handle: async () => ({}) }]);
    expect([await t.get("/both", "user"), await t.get("/both", "operator")].map(({ status }) => status)).toEqual([200, 200]);
    expect((await t.get("/both", "approver")).body).toMatchObject({
      code: "forbidden",
      detail: "This route is for the role user or operator; this key has approver.",
    });
  });

  it("answers every error code as a problem, with its status, title and headers", async () => {
    const codes = Object.keys(problemCodes) as (keyof typeof problemCodes)[];
    await using t = await setup(
      codes.map((code) => ({
        method: "GET",
        url: `/${code}`,
        access: "public",
        handle: () => Promise.reject(new HttpProblem(code, `About ${code}.`, { remedy: "Fix it." }, { "x-code": code })),
      })),
    );
    for (const code of codes) {
      const { status, headers, body } = await t.get(`/${code}`);
      expect(status).toBe(problemCodes[code]);
      expect(body).toEqual({
        type: `urn:toolbus:problem:${code}`,
        title: expect.stringMatching(/^[A-Z]/),
        status,
        code,
        detail: `About ${code}.`,
        remedy: "Fix it.",
      });
      expect([headers.get("content-type"), headers.get("x-code")]).toEqual(["application/problem+json; charset=utf-8", code]);
    }
  });

  it("distinguishes an unavailable, full or refusing store from a fault of its own, and logs what somebody must fix", async () => {
    const logged: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void logged.push(fields) };
    const fault = new Error("broken");
    const failing = (url: string, error: Error): PlainRoute => ({
      method: "GET",
      url,
      access: "public",
      handle: () => Promise.reject(error),
    });
    const full = new StoreUnavailable("Redis at host:1 has reached maxmemory.", { fault: "memory" });
    const refused = new StoreRefused("NOPERM this user has no permissions to run the 'eval' command");
    const routes = [
      failing("/away", new StoreUnavailable("gone")),
      failing("/full", full),
      failing("/refused", refused),
      failing("/fault", fault),
    ];
    await using t = await setup(routes, { log });
    expect((await t.get("/away")).body).toMatchObject({ code: "store_unavailable", status: 503 });
    expect((await t.get("/full")).body).toMatchObject({
      code: "store_unavailable",
      status: 503,
      detail: "The state store accepts no changes now (memory); nothing was lost.",
    });
    expect((await t.get("/refused")).body).toMatchObject({
      code: "store_unavailable",
      status: 503,
      detail: "The state store refuses this service's request; the log has the reason, and nothing was lost.",
    });
    expect((await t.get("/fault")).body).toMatchObject({
      code: "internal",
      status: 500,
      detail: "The server could not do this; it is logged.",
    });
    expect(logged).toEqual([
      { error: refused, method: "GET", route: "/refused" },
      { error: fault, method: "GET", route: "/fault" },
    ]);
  });

  it("speaks of an Idempotency-Key only to a POST that the store could not serve, because a read has none", async () => {
    const away = (method: "GET" | "POST" | "DELETE", error: Error, url: string): PlainRoute => ({
      method,
      url,
      access: "public",
      handle: () => Promise.reject(error),
    });
    const methods = ["GET", "POST", "DELETE"] as const;
    await using t = await setup(
      methods.flatMap((method) => [away(method, new StoreUnavailable("gone"), "/away"), away(method, new StoreRefused("no"), "/refused")]),
    );
    const remedies = async (url: string) =>
      Promise.all(
        methods.map(async (method) => ((await (await fetch(t.server.url + url, { method })).json()) as { remedy: string }).remedy),
      );
    const later = "in a few seconds. If it persists, have an operator look at the service's log.";
    const [plain, keyed] = ["the request", "the request with the same Idempotency-Key"];
    expect(await remedies("/away")).toEqual([`Repeat ${plain} ${later}`, `Repeat ${keyed} ${later}`, `Repeat ${plain} ${later}`]);
    const look = "Have an operator look at the service's log, then repeat";
    expect(await remedies("/refused")).toEqual([`${look} ${plain}.`, `${look} ${keyed}.`, `${look} ${plain}.`]);
  });

  it("has no route for HEAD, which would run the handler of GET without a reader", async () => {
    let runs = 0;
    await using t = await setup([{ method: "GET", url: "/counted", access: "public", handle: async () => ({ runs: ++runs }) }]);
    const { status, headers } = await fetch(`${t.server.url}/counted`, { method: "HEAD" });
    expect([status, headers.get("allow"), runs]).toEqual([405, "GET", 0]);
  });

  it("allows each method of a path", async () => {
    const handle = async (): Promise<object> => ({});
    await using t = await setup([
      { method: "GET", url: "/both", access: "public", handle },
      { method: "POST", url: "/both", access: "public", handle },
    ]);
    expect((await fetch(`${t.server.url}/both`, { method: "PUT" })).headers.get("allow")).toBe("GET, POST");
  });

  it("lets a pending request end, refuses new ones meanwhile, and then closes", async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    let said = false;
    const handle = async (): Promise<object> => {
      arrive();
      await released;
      return { done: true };
    };
    await using t = await setup([{ method: "GET", url: "/slow", access: "public", handle }], {
      onStopping: async () => void (said = true),
    });
    const underWay = t.get("/slow");
    await arrived;
    const stopping = [t.server.stop(), t.server.stop()];
    const late = await t.get("/slow");
    expect(late.body).toMatchObject({ code: "shutting_down", status: 503 });
    expect(late.headers.get("connection")).toBe("close");
    expect(said).toBe(true);
    release();
    expect(await underWay).toMatchObject({ status: 200, body: { done: true } });
    await Promise.all(stopping);
    await expect(fetch(`${t.server.url}/slow`)).rejects.toThrow(/fetch failed/);
  });

  it("does not wait for a client that went away", async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const handle = (): Promise<never> => {
      arrive();
      return new Promise(() => undefined);
    };
    await using t = await setup([{ method: "GET", url: "/never", access: "public", handle }]);
    const gone = new AbortController();
    const asked = fetch(`${t.server.url}/never`, { signal: gone.signal }).catch(() => "left");
    await arrived;
    gone.abort();
    expect(await asked).toBe("left");
    await t.server.stop();
  });
});

describe("a wrong key", () => {
  it("is answered 429 after the allowed number from one address in a minute, while a valid key is still accepted", async () => {
    const clock = { now: 0 };
    await using t = await setup([{ method: "GET", url: "/mine", access: ["user"], handle: async () => ({}) }], {
      config: { HTTPS_ONLY: "false", CORS_ORIGINS: "", AUTH_FAILURES_PER_MINUTE: 2 },
      monotonic: () => clock.now,
    });
    const wrong = () => fetch(`${t.server.url}/mine`, { headers: { authorization: "Bearer nonsense" } });
    expect([(await wrong()).status, (await wrong()).status]).toEqual([401, 401]);
    const over = await wrong();
    expect([over.status, over.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await over.json()).toMatchObject({ code: "rate_limited", detail: "Too many wrong keys came from this address." });
    expect((await t.get("/mine")).status).toBe(401);
    expect((await t.get("/mine", "user")).status).toBe(200);
    clock.now = 60_000;
    expect((await wrong()).status).toBe(401);
  });
});

describe("every answer", () => {
  const routes: readonly PlainRoute[] = [{ method: "GET", url: "/open", access: "public", handle: async () => ({}) }];
  const SAFE = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
  };

  it.each(["/open", "/openapi.json", "/none", "/open?x=1", "/%zz"])("carries the safety headers: %s", async (url) => {
    await using t = await setup(routes);
    const { headers } = await t.get(url);
    expect(Object.fromEntries([...headers].filter(([name]) => name in SAFE))).toEqual(SAFE);
    expect([headers.get("strict-transport-security"), headers.get("access-control-allow-origin")]).toEqual([null, null]);
  });

  it("tells browsers to use only TLS if clients come over TLS", async () => {
    await using t = await setup(routes, { config: { HTTPS_ONLY: "true", CORS_ORIGINS: "", AUTH_FAILURES_PER_MINUTE: 0 } });
    expect((await t.get("/open")).headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
  });
});

describe("an unreadable request", () => {
  const routes: readonly PlainRoute[] = [{ method: "POST", url: "/do", access: "public", handle: async () => ({}) }];
  const GET = "GET /do HTTP/1.1\r\nHost: x\r\n";

  it.each([
    { what: "no HTTP", text: "hello\r\n\r\n", status: 400, code: "invalid_request" },
    { what: "headers of more than 16 KiB", text: `${GET}X-Long: ${"x".repeat(20_000)}\r\n\r\n`, status: 431, code: "headers_too_large" },
    {
      what: "an address of more than 4096 characters",
      text: `GET /${"x".repeat(5000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      status: 414,
      code: "address_too_long",
    },
    {
      what: "a path that cannot be decoded",
      text: "GET /do/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
      status: 400,
      code: "invalid_request",
    },
  ])("is answered with a problem: $what", async ({ text, status, code }) => {
    await using t = await setup(routes);
    const answer = await spoken(t.server.url, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.toLowerCase()).toContain("\r\ncontent-type: application/problem+json");
    expect(answer.toLowerCase()).toContain("\r\nx-content-type-options: nosniff\r\n");
    expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")))).toMatchObject({ status, code });
  });

  it("is a body that is larger than 256 KiB", async () => {
    await using t = await setup(routes);
    const body = JSON.stringify({ text: "x".repeat(256 * 1024) });
    const response = await fetch(`${t.server.url}/do`, { method: "POST", headers: { "content-type": "application/json" }, body });
    expect([response.status, await response.json()]).toMatchObject([413, { code: "body_too_large" }]);
  });
});

describe("a server that cannot listen", () => {
  it("is refused with the variable that sets the port", async () => {
    await using t = await setup([]);
    const port = Number(new URL(t.server.url).port);
    await expect(startHttpServer(t.options({ name: "tool-executor", port }))).rejects.toThrow(
      new Refusal(
        `Port ${port} on 127.0.0.1 is taken by another process, so tool-executor cannot start: stop that process or choose another port with TOOL_EXECUTOR_PORT.`,
      ),
    );
  });

  it("is refused with the variable that sets the host", async () => {
    await using t = await setup([]);
    await expect(startHttpServer(t.options({ name: "gateway", host: "192.0.2.1" }))).rejects.toThrow(
      new Refusal("192.0.2.1 is not an address of this machine: set GATEWAY_HOST to one that is."),
    );
  });
});

/** Sends exactly these bytes to a server and returns everything that it answers until it closes the connection. */
async function spoken(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.write(text);
  let answer = "";
  for await (const bytes of socket.setEncoding("utf8")) answer += bytes;
  return answer;
}

/** Starts a server with these routes. The key of each role is `key-<role>`. */
async function setup(routes: readonly PlainRoute[], part: Partial<HttpServerOptions> = {}) {
  const options = (other: Partial<HttpServerOptions>): HttpServerOptions =>
    serverOptions({ routes: routes.map(documented), ...part, ...other });
  const server = await startHttpServer(options({}));
  return {
    server,
    options,
    async get(url: string, role?: Role) {
      const response = await fetch(server.url + url, { headers: role ? { authorization: `Bearer key-${role}` } : {} });
      const body: unknown = await response.json();
      return { status: response.status, headers: response.headers, body };
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
    },
  };
}
