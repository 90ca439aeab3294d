import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { guardedFetch } from "./guarded-fetch.ts";

const GET = { method: "GET", headers: {} } as const;

describe("a request to a provider", () => {
  it.each(["http://127.0.0.1:1/keys", "https://10.0.0.1/keys", "https://169.254.169.254/keys", "https://[::1]/keys", "file:///etc/passwd"])(
    "is not sent to %s, which is not public",
    async (address) => {
      await expect(guardedFetch({ allowed: new Set() })(address, GET)).rejects.toThrow(/not allowed|not a public|neither https nor http/);
    },
  );

  it("is not sent to a public name with a private address", async () => {
    const resolve: NonNullable<Parameters<typeof guardedFetch>[0]["resolve"]> = (_name, _options, done) =>
      done(null, [{ address: "10.0.0.1", family: 4 }]);
    await expect(guardedFetch({ allowed: new Set(), resolve })("https://login.example.com/keys", GET)).rejects.toThrow(
      "10.0.0.1, which is not public",
    );
  });

  it("follows no redirect, and reads neither a huge answer nor an error of the server", async () => {
    await using s = await server((request, answer) => {
      if (request.url === "/moved") answer.writeHead(302, { location: "https://10.0.0.1/" }).end();
      else if (request.url === "/broken") answer.writeHead(502).end();
      else answer.writeHead(200, { "content-type": "application/json" }).end(request.url === "/huge" ? "x".repeat(300_000) : "{}");
    });
    expect((await s.ask("/moved")).status).toBe(302);
    expect(await (await s.ask("/good")).json()).toEqual({});
    await expect(s.ask("/huge")).rejects.toThrow("could not be reached");
    await expect(s.ask("/broken")).rejects.toThrow("it answered 502");
  });

  it("ends when its time is over", async () => {
    await using s = await server(() => undefined);
    await expect(s.ask("/", AbortSignal.timeout(50))).rejects.toThrow("it did not answer within 10 s");
  });

  it("sends only forms", async () => {
    await using s = await server((request, answer) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => answer.end(Buffer.concat(chunks)));
    });
    const post = { method: "POST", headers: {}, signal: undefined };
    const fetched = guardedFetch({ allowed: new Set([s.host]) });
    expect(await (await fetched(s.url, { ...post, body: new URLSearchParams({ a: "b c" }) })).text()).toBe("a=b+c");
    await expect(fetched(s.url, { ...post, body: new Uint8Array(1) })).rejects.toThrow("another body than a form");
    await expect(fetched(s.url, { ...post, method: "PUT" })).rejects.toThrow("PUT is not allowed");
  });
});

async function server(handle: RequestListener) {
  const listening = createServer(handle).listen(0, "127.0.0.1");
  await once(listening, "listening");
  const host = `127.0.0.1:${(listening.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}/`,
    ask: (path: string, signal?: AbortSignal) => guardedFetch({ allowed: new Set([host]) })(`http://${host}${path}`, { ...GET, signal }),
    async [Symbol.asyncDispose]() {
      listening.closeAllConnections();
      listening.close();
      await once(listening, "close");
    },
  };
}
