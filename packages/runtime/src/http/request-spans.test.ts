import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { currentTraceparent, silentLog, startTelemetry } from "@toolbus/telemetry";
import Fastify from "fastify";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requestSpans } from "./request-spans.ts";

const CLIENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-request-spans-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

describe("a request", () => {
  it("has a server span beneath its client's, named by its route", async () => {
    const [span] = await spansOf([{ url: "/things/7?token=hunter2", headers: { traceparent: CLIENT, cookie: "hunter2" } }]);
    expect(span).toMatchObject({
      name: "GET /things/:id",
      kind: "SERVER",
      status: "UNSET",
      traceId: CLIENT.slice(3, 35),
      parentSpanId: CLIENT.slice(36, 52),
      attributes: {
        "toolbus.service": "gateway",
        "http.request.method": "GET",
        "http.route": "/things/:id",
        "http.response.status_code": 200,
        "url.path": "/things/7",
        "url.scheme": "http",
        "server.address": "127.0.0.1",
        "server.port": expect.any(Number),
      },
    });
    expect(JSON.stringify(span)).not.toContain("hunter2");
  });

  it("runs its handler within that span, after its body was read", async () => {
    const { spans, answers } = await ask(true, [{ url: "/things/7", method: "POST", body: '{"a":1}' }]);
    expect(answers[0]?.slice(3, 52)).toBe(`${String(spans[0]?.["traceId"])}-${String(spans[0]?.["spanId"])}`);
  });

  it("that fails in the server has failed", async () => {
    const [broken] = await spansOf([{ url: "/broken" }]);
    expect(broken).toMatchObject({ status: "ERROR", attributes: { "http.response.status_code": 500, "error.type": "500" } });
  });

  it("that is refused has not failed", async () => {
    const [refused] = await spansOf([{ url: "/things/7", method: "POST", body: "{" }]);
    expect(refused).toMatchObject({ status: "UNSET", attributes: { "http.response.status_code": 400 } });
  });

  it("to an unknown route records nothing of the requested address", async () => {
    const [span] = await spansOf([{ url: "/hunter2" }]);
    expect(span).toMatchObject({ name: "GET", attributes: { "http.response.status_code": 404 } });
    expect(JSON.stringify(span)).not.toContain("hunter2");
  });

  it("of a probe has no span", async () => {
    expect(await spansOf([{ url: "/healthz" }])).toEqual([]);
  });

  it("passes its client's trace on while telemetry is off, and starts none", async () => {
    const { answers } = await ask(false, [{ url: "/things/7", headers: { traceparent: CLIENT } }, { url: "/things/7" }]);
    expect(answers).toEqual([CLIENT, ""]);
  });
});

interface Asked {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Line extends Readonly<Record<string, unknown>> {
  readonly status: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

async function spansOf(requests: readonly Asked[]): Promise<readonly Line[]> {
  return (await ask(true, requests)).spans;
}

/** Sends requests one after another to a server whose handler answers with its current trace. Returns the answers and the spans. */
async function ask(on: boolean, requests: readonly Asked[]) {
  const telemetry = await startTelemetry({
    env: on ? { TRACE_DIR: dir } : {},
    serviceName: "toolbus",
    log: silentLog,
    newKey: () => "k".repeat(43),
    monotonic: () => performance.now(),
  });
  const app = Fastify({ forceCloseConnections: true });
  const spans = requestSpans(app, { service: "gateway", host: "127.0.0.1" });
  app.all("/things/:id", (request) => spans.run(request, async () => currentTraceparent() ?? ""));
  app.get("/broken", async () => {
    throw new Error("hunter2");
  });
  app.get("/healthz", async () => "ok");
  await app.listen({ port: 0, host: "127.0.0.1" });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const answers: string[] = [];
  for (const { url, method = "GET", headers = {}, body } of requests) {
    const json = body === undefined ? {} : { body, headers: { ...headers, "content-type": "application/json" } };
    const response = await fetch(`${base}${url}`, { method, headers, ...json, signal: AbortSignal.timeout(10_000) });
    answers.push(await response.text());
  }
  await app.close();
  await telemetry.shutdown(5000);
  const lines = readdirSync(dir).flatMap((name) => readFileSync(path.join(dir, name), "utf8").trim().split("\n"));
  return { answers, spans: lines.map((line) => JSON.parse(line) as Line) };
}
