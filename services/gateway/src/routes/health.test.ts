import type { StateStore } from "@toolbus/state";
import { describe, expect, it } from "vitest";
import { setup } from "../testing/gateway-under-test.ts";
import { problemOf } from "../testing/problem-under-test.ts";

describe("health", () => {
  it("is open to everybody", async () => {
    await using t = await setup();
    expect(await t.ask(null, "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
    expect(await t.ask(null, "/readyz")).toMatchObject({ status: 200, body: { status: "ready", reasons: [] } });
  });

  it("is unready, but alive, when the store is closed", async () => {
    await using t = await setup();
    await t.store.close();
    expect(await t.ask(null, "/readyz")).toMatchObject({
      status: 503,
      body: { status: "unready", reasons: ["the state store does not answer"] },
    });
    expect((await t.ask(null, "/healthz")).status).toBe(200);
  });

  it("is unready, but alive, while the bus is closed", async () => {
    await using t = await setup();
    await t.bus.close();
    expect(await t.ask(null, "/readyz")).toMatchObject({ status: 503, body: { status: "unready", reasons: ["the bus is closed"] } });
    expect((await t.ask(null, "/healthz")).status).toBe(200);
  });

  it("is unready when the store does not answer within a second", async () => {
    const never = new Promise<never>(() => undefined);
    await using t = await setup({ wrapStore: (state): StateStore => ({ ...state, probe: () => never }) });
    expect((await t.ask(null, "/readyz")).status).toBe(503);
  });
});

describe("every refusal", () => {
  it("is a problem for a route that does not exist, whoever asks", async () => {
    await using t = await setup();
    for (const url of ["/", "/v1", "/v1/run", "/v2/tools", "/v1/tools/", "/.env"]) {
      expect(problemOf(await t.ask(null, url))).toEqual({ status: 404, code: "not_found" });
    }
  });

  it.each([
    { method: "GET", url: "/v1/investigations", allow: "POST" },
    { method: "PUT", url: "/v1/tools", allow: "GET" },
    { method: "DELETE", url: "/v1/runs/any", allow: "GET" },
    { method: "PATCH", url: "/v1/runs/any/cancel", allow: "POST" },
    { method: "POST", url: "/v1/runs/any/events", allow: "GET" },
    { method: "OPTIONS", url: "/v1/tools", allow: "GET" },
  ])("names the methods that a route accepts: $method $url", async ({ method, url, allow }) => {
    await using t = await setup();
    for (const asking of [{ method }, ...(method === "GET" ? [] : [{ method, body: "{", headers: { "content-type": "text/plain" } }])]) {
      const answer = await t.ask("una", url, asking);
      expect(problemOf(answer)).toEqual({ status: 405, code: "method_not_allowed" });
      expect(answer.headers.get("allow")).toBe(allow);
    }
  });

  it("is a problem for an address that cannot be decoded", async () => {
    await using t = await setup();
    expect(problemOf(await t.ask("una", "/v1/runs/%zz"))).toEqual({ status: 400, code: "invalid_request" });
  });

  it("reveals nothing about an internal fault but that it is logged", async () => {
    const logged: object[] = [];
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fields: object) => void logged.push(fields),
      child: () => log,
    };
    const fault = new Error("broken at /src/secret.ts:1:1");
    await using t = await setup({ log, wrapStore: (state): StateStore => ({ ...state, page: () => Promise.reject(fault) }) });
    const answer = await t.ask("una", "/v1/tools");
    expect(problemOf(answer)).toEqual({ status: 500, code: "internal" });
    expect(answer.text).not.toContain("broken");
    expect(logged).toEqual([{ error: fault, method: "GET", route: "/v1/tools" }]);
  });

  it("carries the headers that keep a browser from guessing, caching and framing", async () => {
    await using t = await setup();
    for (const url of ["/healthz", "/v1/tools", "/none", "/v1/runs/%zz"]) {
      const { headers } = await t.ask(null, url);
      expect([headers.get("x-content-type-options"), headers.get("cache-control"), headers.get("referrer-policy")]).toEqual([
        "nosniff",
        "no-store",
        "no-referrer",
      ]);
      expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    }
  });
});
