import { describe, expect, it } from "vitest";
import { documented, serverOptions } from "../testing/http-under-test.ts";
import { startHttpServer } from "./http-server.ts";
import { HttpProblem } from "./problem.ts";
import type { RenderProblem, Route } from "./route.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const page: RenderProblem = ({ status, message }) => ({ status, headers: { "x-shown": "yes" }, html: `<p>${message}</p>` });

describe("a route for browsers", () => {
  it("reads forms and cookies, and no other route does", async () => {
    await using t = await setup();
    const sent = { method: "POST", headers: { ...FORM, cookie: "name=amy" }, body: "text=one+%26+two" };
    expect(await t.ask("/page", sent)).toMatchObject({ status: 200, text: '{"body":{"text":"one & two"},"cookies":{"name":"amy"}}' });
    expect(await t.ask("/api", sent)).toMatchObject({ status: 415 });
    const json = await t.ask("/page", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect(json).toMatchObject({ status: 415, text: "<p>The body must be JSON.</p>" });
    expect(
      await t.ask("/api", { method: "POST", headers: { "content-type": "application/json", cookie: "name=amy" }, body: "{}" }),
    ).toMatchObject({
      status: 200,
      text: "{}",
    });
  });

  it("identifies its callers only by their own credential, never by a key in a header", async () => {
    await using t = await setup();
    const { status, text, headers } = await t.ask("/closed", { headers: { authorization: "Bearer key-approver" } });
    expect([status, headers.get("content-type"), headers.get("x-shown")]).toEqual([401, "text/html; charset=utf-8", "yes"]);
    expect(text).toContain("<p>This route needs an API key");
    expect(await t.ask("/closed", { headers: { cookie: "name=approver" } })).toMatchObject({ status: 200, text: "hello approver" });
    expect(await t.ask("/closed", { headers: { cookie: "name=user" } })).toMatchObject({
      status: 403,
      text: expect.stringContaining("<p>This route is for"),
    });
  });

  it("shows its refusals as HTML with the safe headers, also those of the server itself", async () => {
    await using t = await setup();
    const failed = await t.ask("/failing");
    expect([failed.status, failed.text]).toEqual([409, "<p>Not now.</p>"]);
    expect(failed.headers.get("cache-control")).toBe("no-store");
    const large = await t.ask("/page", { method: "POST", headers: FORM, body: `text=${"x".repeat(300_000)}` });
    expect([large.status, large.headers.get("content-type")]).toEqual([413, "text/html; charset=utf-8"]);
  });

  it("is not in the description of the API", async () => {
    await using t = await setup();
    const { paths } = JSON.parse((await t.ask("/openapi.json")).text) as { readonly paths: object };
    expect(Object.keys(paths)).toEqual(["/api", "/openapi.json", "/docs"]);
    expect((await t.ask("/docs")).text).not.toContain("/closed");
  });
});

async function setup() {
  const api = documented({ method: "POST", url: "/api", access: "public", handle: async ({ cookies }) => ({ cookies }) });
  const routes: Route[] = [
    api,
    documented({
      method: "POST",
      url: "/page",
      access: "public",
      page,
      handle: async ({ body, cookies }) => ({ body, cookies }),
    }),
    documented({
      method: "GET",
      url: "/closed",
      access: ["approver"],
      page,
      credential: async ({ cookies }, keys) => keys.named(cookies["name"] ?? ""),
      handle: async (_request, _reply, { id }) => `hello ${id}`,
    }),
    documented({
      method: "GET",
      url: "/failing",
      access: "public",
      page,
      async handle() {
        throw new HttpProblem("conflict", "Not now.");
      },
    }),
  ];
  const server = await startHttpServer(serverOptions({ routes }));
  return {
    async ask(path: string, init: RequestInit = {}) {
      const response = await fetch(server.url + path, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
