import { createHash } from "node:crypto";
import { problemCodes, type Role } from "@toolbus/contracts";
import { StoreUnavailable } from "@toolbus/state";
import { silentLog } from "@toolbus/telemetry";
import { describe, expect, it } from "vitest";
import { Refusal } from "../refusal.ts";
import { apiKeys, type Principal } from "./api-keys.ts";
import { type HttpServerOptions, type Route, startHttpServer } from "./http-server.ts";
import { HttpProblem } from "./problem.ts";

describe("an HTTP server", () => {
  it("hands each request to its route with the principal of its key", async () => {
    const seen: Principal[] = [];
    const route = (url: string, access: Route["access"]): Route => ({
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

  it("lets one of several roles in and names all of them to the others", async () => {
    await using t = await setup([{ method: "GET", url: "/both", access: ["user", "operator"], handle: async () => ({}) }]);
    expect([await t.get("/both", "user"), await t.get("/both", "operator")].map(({ status }) => status)).toEqual([200, 200]);
    expect((await t.get("/both", "approver")).body).toMatchObject({
      code: "forbidden",
      detail: "This route is for the role user or operator; this key has approver.",
    });
  });

  it("says no as a problem, for every code there is, with its status, title and headers", async () => {
    const codes = Object.keys(problemCodes) as (keyof typeof problemCodes)[];
    await using t = await setup(
      codes.map((code) => ({
        method: "GET",
        url: `/${code}`,
        access: "public",
        handle: () => Promise.reject(new HttpProblem(code, `About ${code}.`, { remedy: "Mend it." }, { "x-code": code })),
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
        remedy: "Mend it.",
      });
      expect([headers.get("content-type"), headers.get("x-code")]).toEqual(["application/problem+json; charset=utf-8", code]);
    }
  });

  it("tells a store that is away from a fault of its own, and logs only the fault", async () => {
    const logged: object[] = [];
    const log = { ...silentLog, error: (fields: object) => void logged.push(fields) };
    const fault = new Error("broken");
    const failing = (url: string, error: Error): Route => ({ method: "GET", url, access: "public", handle: () => Promise.reject(error) });
    await using t = await setup([failing("/away", new StoreUnavailable("gone")), failing("/fault", fault)], { log });
    expect((await t.get("/away")).body).toMatchObject({ code: "store_unavailable", status: 503 });
    expect((await t.get("/fault")).body).toMatchObject({
      code: "internal",
      status: 500,
      detail: "The server could not do this; it is logged.",
    });
    expect(logged).toEqual([{ error: fault, method: "GET", route: "/fault" }]);
  });

  it("has no route for HEAD, which would run the handler of GET without a reader", async () => {
    let runs = 0;
    await using t = await setup([{ method: "GET", url: "/counted", access: "public", handle: async () => ({ runs: ++runs }) }]);
    const { status, headers } = await fetch(`${t.server.url}/counted`, { method: "HEAD" });
    expect([status, headers.get("allow"), runs]).toEqual([405, "GET", 0]);
  });

  it("allows each of the methods that a path has", async () => {
    const handle = async (): Promise<object> => ({});
    await using t = await setup([
      { method: "GET", url: "/both", access: "public", handle },
      { method: "POST", url: "/both", access: "public", handle },
    ]);
    expect((await fetch(`${t.server.url}/both`, { method: "PUT" })).headers.get("allow")).toBe("GET, POST");
  });

  it("lets a request under way end, refuses new ones meanwhile, and is closed then", async () => {
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

describe("a server that cannot listen", () => {
  it("is refused with the variable that names the port", async () => {
    await using t = await setup([]);
    const port = Number(new URL(t.server.url).port);
    await expect(startHttpServer(t.options({ name: "tool-executor", port }))).rejects.toThrow(
      new Refusal(
        `Port ${port} on 127.0.0.1 is taken by another process, so tool-executor cannot start: stop that process or choose another port with TOOL_EXECUTOR_PORT.`,
      ),
    );
  });

  it("is refused with the variable that names the host", async () => {
    await using t = await setup([]);
    await expect(startHttpServer(t.options({ name: "gateway", host: "192.0.2.1" }))).rejects.toThrow(
      new Refusal("192.0.2.1 is no address of this machine: set GATEWAY_HOST to one that is."),
    );
  });
});

const ROLES: readonly Role[] = ["user", "operator", "approver"];

/** A server with these routes; the key of each role is `key-<role>`. */
async function setup(routes: readonly Route[], part: Partial<HttpServerOptions> = {}) {
  const keys = apiKeys(
    ROLES.map((role) => ({
      id: role,
      sha256: createHash("sha256").update(`key-${role}`).digest("hex"),
      principal: role,
      tenant: "acme",
      roles: [role],
      scopes: [],
    })),
  );
  const options = (other: Partial<HttpServerOptions>): HttpServerOptions => ({
    name: "test",
    host: "127.0.0.1",
    port: 0,
    keys,
    routes,
    log: silentLog,
    ...part,
    ...other,
  });
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
