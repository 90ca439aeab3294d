import { declared } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import type { HttpServerOptions } from "./http-server.ts";
import { startHttpServer } from "./http-server.ts";
import { serverOptions } from "../testing/http-under-test.ts";
import type { RateLimit } from "./rate-limit.ts";
import { type BodyDefinition, getRoute, noBody, noQuery, postRoute, type Route, type RouteDocs } from "./route.ts";
import { checkRoutes } from "./route-check.ts";

const JSON_TYPE = { "content-type": "application/json" };

describe("a declared GET", () => {
  it("gives its handler the id and no query, and refuses every parameter", async () => {
    await using t = await setup([
      getRoute({
        url: "/things/:id",
        access: "public",
        docs: docs("get", true),
        query: noQuery,
        handle: async ({ id, query }) => ({ id, query }),
      }),
    ]);
    expect((await t.ask("/things/a%2Fb")).body).toEqual({ id: "a/b", query: {} });
    expect(await t.ask("/things/1?limit=1")).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ path: "/limit", message: "is not a known field" }] },
    });
  });

  it("refuses a parameter that is given twice", async () => {
    await using t = await setup([
      getRoute({ url: "/list", access: "public", docs: docs("list"), query: noQuery, handle: async () => ({}) }),
    ]);
    expect(await t.ask("/list?name=a&name=b")).toMatchObject({
      status: 400,
      body: { errors: [{ path: "/name", message: "must be given once" }] },
    });
  });
});

describe("a declared POST", () => {
  it.each<{ what: string; init: RequestInit }>([
    { what: "no body", init: {} },
    { what: "an empty body that says it is JSON", init: { headers: JSON_TYPE, body: "" } },
    { what: "an empty object", init: { headers: JSON_TYPE, body: "{}" } },
  ])("that needs no body accepts $what", async ({ init }) => {
    await using t = await setup([post(noBody)]);
    expect(await t.ask("/do", { method: "POST", ...init })).toMatchObject({ status: 200, body: { body: {} } });
  });

  it.each<{ what: string; init: RequestInit; code: string }>([
    { what: "a field", init: { headers: JSON_TYPE, body: '{"a":1}' }, code: "invalid_request" },
    { what: "a list", init: { headers: JSON_TYPE, body: "[]" }, code: "invalid_request" },
    { what: "half a body", init: { headers: JSON_TYPE, body: "{" }, code: "malformed_body" },
    {
      what: "a form",
      init: { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1" },
      code: "unsupported_media_type",
    },
    { what: "a body without a type", init: { headers: { "content-type": "" }, body: "{}" }, code: "unsupported_media_type" },
  ])("that needs no body refuses $what", async ({ init, code }) => {
    await using t = await setup([post(noBody)]);
    expect((await t.ask("/do", { method: "POST", ...init })).body).toMatchObject({ code });
  });

  it("that needs a body says so, and what to send", async () => {
    await using t = await setup([post({ ...noBody, required: true, remedy: "Send {}." })]);
    expect((await t.ask("/do", { method: "POST" })).body).toMatchObject({ code: "malformed_body", remedy: "Send {}." });
  });

  it("accepts no query", async () => {
    await using t = await setup([post(noBody)]);
    expect((await t.ask("/do?x=1", { method: "POST" })).body).toMatchObject({ code: "invalid_request" });
  });

  it("gives its handler the Idempotency-Key, and refuses one that cannot be used", async () => {
    await using t = await setup([post(noBody)]);
    expect((await t.ask("/do", { method: "POST", headers: { "idempotency-key": "k-1" } })).body).toMatchObject({ key: "k-1" });
    expect((await t.ask("/do", { method: "POST", headers: { "idempotency-key": "two words" } })).body).toMatchObject({
      code: "invalid_request",
    });
  });

  it("says how much of the caller's minute is left, and when there is more", async () => {
    await using t = await setup([post(noBody, limitOf(true))]);
    const { status, headers } = await t.ask("/do", { method: "POST" });
    expect([status, headers.get("ratelimit-policy"), headers.get("ratelimit")]).toEqual([200, '"things";q=5;w=60', '"things";r=2;t=31']);
  });

  it("is refused before its handler runs if nothing is left", async () => {
    let runs = 0;
    await using t = await setup([post(noBody, limitOf(false), () => void runs++)]);
    const { status, headers, body } = await t.ask("/do", { method: "POST" });
    expect([status, headers.get("retry-after"), headers.get("ratelimit"), runs]).toEqual([429, "31", '"things";r=2;t=31', 0]);
    expect(body).toMatchObject({
      code: "rate_limited",
      detail: "This principal may do 5 things a minute.",
      remedy: "Repeat the request in 31 s.",
    });
  });

  it("uses up nothing of the caller's minute for a request that is refused anyway", async () => {
    let taken = 0;
    const limit: RateLimit = { ...limitOf(true), take: async () => (taken++, { granted: true, remaining: 1, resetMs: 1 }) };
    await using t = await setup([post(noBody, limit)]);
    await t.ask("/do", { method: "POST", headers: JSON_TYPE, body: '{"a":1}' });
    expect(taken).toBe(0);
  });
});

describe("a server", () => {
  const good = post(noBody);
  it.each<{ what: string; routes: Route[]; words: string }>([
    { what: "who may call it", routes: [without(good, "access")], words: "POST /do does not say who may call it (access)" },
    { what: "any role that may call it", routes: [{ ...good, access: [] }], words: "POST /do does not say who may call it (access)" },
    { what: "its documentation", routes: [without(good, "docs")], words: "POST /do is not documented (docs)" },
    { what: "its summary", routes: [{ ...good, docs: { ...good.docs, summary: "" } }], words: "lacks its operationId, summary or tag" },
    { what: "its answers", routes: [{ ...good, docs: { ...good.docs, answers: {} } }], words: "does not say what it answers" },
    { what: "what its id is", routes: [{ ...good, url: "/do/:id" }], words: "POST /do/:id does not say what its id is" },
    { what: "a name of its own", routes: [good, { ...good, url: "/other" }], words: 'POST /do and POST /other share the operationId "do"' },
  ])("does not start with a route that lacks $what", async ({ routes, words }) => {
    await expect(startHttpServer(serverOptions({ routes }))).rejects.toThrow(words);
    expect(() => checkRoutes(routes)).toThrow(/^The service has routes that declare too little: .* Fix their declarations\.$/);
  });
});

function post(body: BodyDefinition<object>, rate: RateLimit | null = null, onHandle = (): void => undefined): Route {
  return postRoute({
    url: "/do",
    access: "public",
    docs: docs("do"),
    body,
    rate,
    handle: async ({ body: given, key = null }) => (onHandle(), { body: given, key }),
  });
}

function docs(operationId: string, withId = false): Omit<RouteDocs, "query" | "body"> {
  const id = withId ? { id: { says: "The thing.", pattern: "^.+$", example: "1" } } : {};
  return {
    operationId,
    tag: "Test",
    summary: "Does it.",
    ...id,
    answers: { 200: { says: "Done.", body: declared("Any", {}) } },
    problems: [],
  };
}

function limitOf(granted: boolean): RateLimit {
  return { name: "things", words: "do 5 things", perMinute: 5, take: async () => ({ granted, remaining: 2, resetMs: 30_500 }) };
}

/** Returns the route without one of its parts, as code that bypasses the types could declare it. */
function without(route: Route, part: keyof Route): Route {
  const copy = { ...route };
  Reflect.deleteProperty(copy, part);
  return copy;
}

async function setup(routes: readonly Route[], part: Partial<HttpServerOptions> = {}) {
  const server = await startHttpServer(serverOptions({ routes, ...part }));
  return {
    server,
    async ask(url: string, init: RequestInit = {}) {
      const response = await fetch(server.url + url, init);
      const body: unknown = await response.json();
      return { status: response.status, headers: response.headers, body };
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
