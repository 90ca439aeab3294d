import { once } from "node:events";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Jwks } from "@toolbus/contracts";
import { describe, expect, it } from "vitest";
import { KeyRefused } from "./key-refused.ts";
import { fileKeySet, httpKeySet, staticKeySet } from "./key-sources.ts";
import { generateSigningKey, publicKeySet } from "./keys.ts";

describe("a static key set", () => {
  it("finds its keys and no others", async () => {
    const key = await generateSigningKey();
    const keys = staticKeySet(publicKeySet([key]));
    expect((await keys.find(key.kid))?.type).toBe("public");
    expect(await keys.find("other")).toBeNull();
    expect(await keys.find("__proto__")).toBeNull();
  });

  it("uses Ed25519 keys for signatures only", async () => {
    const key = await generateSigningKey();
    const [entry] = publicKeySet([key]).keys;
    if (!entry) throw new Error("The set is empty.");
    const others: Jwks["keys"] = [
      { ...entry, kid: "alg", alg: "HS256" },
      { ...entry, kid: "eddsa", alg: "EdDSA" },
      { ...entry, kid: "crv", crv: "X25519" },
      { ...entry, kid: "kty", kty: "EC" },
      { ...entry, kid: "use", use: "enc" },
      { ...entry, kid: "short", x: "AAAA" },
      { ...entry, kid: "white space" },
    ];
    const keys = staticKeySet({ keys: [...others, entry] });
    expect(await Promise.all(others.map(({ kid }) => keys.find(kid ?? "")))).toEqual(others.map(() => null));
    expect(await keys.find(key.kid)).not.toBeNull();
  });

  it("finds no revoked key, in whichever way it was revoked", async () => {
    const [good, marked, listed] = [await generateSigningKey(), await generateSigningKey(), await generateSigningKey()];
    const { keys: entries } = publicKeySet([good, marked, listed]);
    const keys = staticKeySet({
      keys: entries.map((entry) => ({ ...entry, revoked: entry.kid === marked.kid })),
      revokedKids: [listed.kid],
    });
    expect(await keys.find(good.kid)).not.toBeNull();
    expect(await keys.find(marked.kid)).toBeNull();
    expect(await keys.find(listed.kid)).toBeNull();
  });

  it("refuses a private key and two keys under one id", async () => {
    const key = await generateSigningKey();
    expect(() => staticKeySet({ keys: [key] })).toThrow(KeyRefused);
    expect(() => staticKeySet({ keys: [...publicKeySet([key]).keys, ...publicKeySet([key]).keys] })).toThrow(/id of another key/);
  });
});

describe("a key set in a file", () => {
  it("reads the file again once a minute, and keeps its keys while the file is broken", async () => {
    await using folder = await mkdtempDisposable(path.join(os.tmpdir(), "key-set-"));
    const file = path.join(folder.path, "jwks.json");
    const [first, second] = [await generateSigningKey(), await generateSigningKey()];
    let now = 0;
    const problems: string[] = [];
    const keys = fileKeySet({ file, clock: () => now, onProblem: (message) => problems.push(message) });

    expect(await keys.find(first.kid)).toBeNull();
    expect(problems.splice(0)).toEqual([expect.stringContaining("ENOENT")]);
    await writeFile(file, JSON.stringify(publicKeySet([first])));
    now += 5000;
    expect(await keys.find(first.kid)).not.toBeNull();
    await writeFile(file, '{"keys":[');
    now += 60_000;
    expect(await keys.find(first.kid)).not.toBeNull();
    expect(problems.splice(0)).toEqual([expect.stringContaining("it is not a key set: is not JSON")]);
    await writeFile(file, JSON.stringify({ ...publicKeySet([first, second]), revokedKids: [first.kid] }));
    now += 60_000;
    expect(await keys.find(first.kid)).toBeNull();
    expect(await keys.find(second.kid)).not.toBeNull();
    expect(problems).toEqual([]);
  });
});

describe("a key set behind a URL", () => {
  it("finds a new key after one refresh, and refreshes for unknown keys once a minute at most", async () => {
    await using bundle = await setup();
    const { keys, first, second, server } = bundle;
    expect(await keys.find(first.kid)).not.toBeNull();
    expect(server.requests).toBe(1);
    server.jwks = publicKeySet([first, second]);
    expect(await keys.find(second.kid)).not.toBeNull();
    expect(server.requests).toBe(2);
    for (let n = 0; n < 100; n++) expect(await keys.find(`invented-${n}`)).toBeNull();
    bundle.time.now += 59_999;
    expect(await keys.find("invented")).toBeNull();
    expect(server.requests).toBe(2);
    bundle.time.now += 1;
    expect(await keys.find("invented")).toBeNull();
    expect(server.requests).toBe(3);
  });

  it("loads once for many concurrent lookups", async () => {
    await using bundle = await setup();
    const found = await Promise.all(Array.from({ length: 50 }, () => bundle.keys.find(bundle.first.kid)));
    expect(found.every(Boolean)).toBe(true);
    expect(bundle.server.requests).toBe(1);
  });

  it("reads the set again after five minutes, so that a revocation arrives", async () => {
    await using bundle = await setup();
    const { keys, first, server } = bundle;
    expect(await keys.find(first.kid)).not.toBeNull();
    server.jwks = { ...publicKeySet([first]), revokedKids: [first.kid] };
    bundle.time.now += 299_999;
    expect(await keys.find(first.kid)).not.toBeNull();
    bundle.time.now += 1;
    expect(await keys.find(first.kid)).toBeNull();
  });

  it("keeps its keys while the service is down, and tries again every five seconds", async () => {
    await using bundle = await setup();
    const { keys, first, server, problems } = bundle;
    await keys.find(first.kid);
    server.respond = (response) => response.writeHead(503).end();
    bundle.time.now += 300_000;
    expect(await keys.find(first.kid)).not.toBeNull();
    expect(await keys.find("other")).toBeNull();
    expect(server.requests).toBe(2);
    expect(problems).toEqual([
      expect.stringMatching(/^The key set at http:.* could not be read, so the keys stay as they were: the answer is HTTP 503$/),
    ]);
    bundle.time.now += 5000;
    await keys.find(first.kid);
    expect(server.requests).toBe(3);
  });

  it.each<[string, RegExp, (response: ServerResponse) => void]>([
    ["is a redirect", /fetch failed/, (response) => response.writeHead(302, { location: "/elsewhere" }).end()],
    ["is not a key set", /not a key set: \/keys must be array/, (response) => response.end('{"keys":{}}')],
    ["names a key twice in one object", /\/keys appears more than once/, (response) => response.end('{"keys":[],"keys":[]}')],
  ])("has no keys when the answer %s", async (_, problem, respond) => {
    await using bundle = await setup();
    bundle.server.respond = respond;
    expect(await bundle.keys.find(bundle.first.kid)).toBeNull();
    expect(bundle.problems).toEqual([expect.stringMatching(problem)]);
    expect(bundle.server.requests).toBe(1);
  });

  it("stops receiving an answer that is too large", async () => {
    await using bundle = await setup();
    const closed = Promise.withResolvers<void>();
    bundle.server.respond = (response) => {
      response.on("close", closed.resolve);
      // The response stays open, so only the reader can end it.
      response.write("x".repeat(70_000));
    };
    expect(await bundle.keys.find(bundle.first.kid)).toBeNull();
    expect(bundle.problems).toEqual([expect.stringMatching(/the answer is larger than 65536 bytes/)]);
    await closed.promise;
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["comes", () => undefined],
    ["ends", (response) => response.writeHead(200).write("{")],
  ])("has no keys when the answer never %s within the deadline", async (_, respond) => {
    await using bundle = await setup({ timeoutMs: 100 });
    bundle.server.respond = respond;
    expect(await bundle.keys.find(bundle.first.kid)).toBeNull();
    expect(bundle.problems).toEqual([expect.stringMatching(/aborted due to timeout/)]);
  });

  it.each([
    "nope",
    "",
    "approvals:8080",
    "file:///jwks.json",
    "https://user@approvals.example.com/jwks.json",
    "https://user:secret@approvals.example.com/jwks.json",
  ])("is refused for the address %s, which nobody can load, and its login is not repeated", (url) => {
    const made = (): unknown => httpKeySet({ url, clock: () => 0, timeoutMs: 1000 });
    expect(made).toThrow(/^The address of a key set must be an http or https URL without a login, [^@]*$/);
  });

  it("stops a running load when its signal aborts", async () => {
    await using bundle = await setup();
    const asked = Promise.withResolvers<void>();
    bundle.server.respond = () => asked.resolve();
    const found = bundle.keys.find(bundle.first.kid);
    await asked.promise;
    bundle.stop.abort(new Error("shutdown"));
    expect(await found).toBeNull();
    expect(bundle.problems).toEqual([expect.stringContaining("shutdown")]);
  });
});

async function setup({ timeoutMs = 10_000 } = {}) {
  const [first, second] = [await generateSigningKey(), await generateSigningKey()];
  const server = {
    requests: 0,
    jwks: publicKeySet([first]),
    respond(response: ServerResponse): void {
      response.end(JSON.stringify(this.jwks));
    },
  };
  const http = createServer((_, response) => {
    server.requests++;
    server.respond(response);
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/.well-known/jwks.json`;
  const problems: string[] = [];
  const stop = new AbortController();
  const time = { now: 1_000_000 };
  const keys = httpKeySet({ url, clock: () => time.now, timeoutMs, signal: stop.signal, onProblem: (message) => problems.push(message) });
  return {
    time,
    first,
    second,
    server,
    problems,
    stop,
    keys,
    async [Symbol.asyncDispose]() {
      const closed = once(http, "close");
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
}
