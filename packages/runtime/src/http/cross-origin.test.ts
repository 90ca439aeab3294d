import { describe, expect, it } from "vitest";
import { readOrigins } from "./cross-origin.ts";
import { startHttpServer } from "./http-server.ts";
import { documented, serverOptions } from "../testing/http-under-test.ts";

const PAGE = "https://chat.example.com";

describe("a page of another origin", () => {
  it("that is listed may send preflight requests, and read the answer, its problems and the relevant headers", async () => {
    await using t = await setup(`${PAGE}, http://localhost:3000`);
    const preflight = await t.fetch("OPTIONS", PAGE, {
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("idempotency-key");
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
    const answer = await t.fetch("POST", PAGE, { authorization: "Bearer key-user" });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, PAGE]);
    expect(answer.headers.get("access-control-expose-headers")).toContain("retry-after");
    const refused = await t.fetch("POST", "http://localhost:3000", {});
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, "http://localhost:3000"]);
  });

  it("that is not listed gets no CORS headers, and no page does if none is listed", async () => {
    for (const list of [PAGE, ""]) {
      await using t = await setup(list);
      for (const method of ["OPTIONS", "POST"]) {
        const { headers } = await t.fetch(method, "https://evil.example.com", {
          authorization: "Bearer key-user",
          "access-control-request-method": "POST",
        });
        expect(headers.get("access-control-allow-origin")).toBeNull();
      }
    }
  });
});

describe("CORS_ORIGINS", () => {
  it("accepts a list with commas, and an empty one", () => {
    expect(readOrigins("CORS_ORIGINS", ` ${PAGE} ,http://[::1]:8080,`)).toEqual([PAGE, "http://[::1]:8080"]);
    expect(readOrigins("CORS_ORIGINS", "")).toEqual([]);
  });

  it.each([
    ["*", /names "\*", which is not an origin: .* https:\/\/chat\.example\.com\.$/],
    ["https://chat.example.com/", /as in https:\/\/chat\.example\.com\.$/],
    ["https://chat.example.com:443", /as in https:\/\/chat\.example\.com\.$/],
    ["chat.example.com", /which is not an origin/],
    ["file:///etc", /which is not an origin/],
  ])("refuses %s with what to write", (text, words) => {
    expect(() => readOrigins("CORS_ORIGINS", text)).toThrow(words);
  });
});

async function setup(origins: string) {
  const route = documented({ method: "POST", url: "/thing", access: ["user"], handle: async () => ({ fine: true }) });
  const server = await startHttpServer(
    serverOptions({ routes: [route], config: { HTTPS_ONLY: "false", CORS_ORIGINS: origins, AUTH_FAILURES_PER_MINUTE: 0 } }),
  );
  return {
    fetch: (method: string, origin: string, headers: Readonly<Record<string, string>>) =>
      fetch(`${server.url}/thing`, { method, headers: { origin, ...headers } }),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
