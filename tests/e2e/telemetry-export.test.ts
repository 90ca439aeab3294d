import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { createLog, measure, metricNames, startTelemetry, withSpan } from "@toolbus/telemetry";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OtlpReceiver, otlpReceiver } from "./testing/otlp-receiver.ts";

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await otlpReceiver();
});
afterEach(() => receiver.stop());

describe("telemetry that is sent to a collector", () => {
  it("is protobuf by default, each signal to its own path, with the headers that were set", async () => {
    const { end } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: "x-team=tools" });
    await end();
    const byPath = Map.groupBy(receiver.exports(), ({ path }) => path);
    expect([...byPath.keys()].toSorted()).toEqual(["/v1/logs", "/v1/metrics", "/v1/traces"]);
    for (const { headers } of receiver.exports()) {
      expect(headers).toMatchObject({ "content-type": "application/x-protobuf", "x-team": "tools" });
    }
    expect(byPath.get("/v1/traces")?.[0]?.body).toContain("the work");
  });

  it("has the log lines of a span under its trace, redacted as on standard error", async () => {
    const { end, written } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" });
    await end();
    const [span] = receiver.spans();
    expect(receiver.logs()).toEqual([
      {
        body: "said within",
        severity: "WARN",
        traceId: span?.traceId,
        attributes: { name: "test", runId: "rn_1", token: "[redacted]", note: "[redacted]" },
      },
    ]);
    const line = JSON.parse(written()) as object;
    expect(line).toMatchObject({
      msg: "said within",
      trace_id: span?.traceId,
      span_id: span?.spanId,
      token: "[redacted]",
      note: "[redacted]",
    });
  });

  it("is sent in order when the process stops: spans, then measurements, then log records", async () => {
    const { end } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    expect(receiver.exports()).toEqual([]);
    await end();
    expect(receiver.exports().map(({ path }) => path)).toEqual(["/v1/traces", "/v1/metrics", "/v1/logs"]);
  });

  it("contains only the requested signals", async () => {
    const { end } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_LOGS_EXPORTER: "none", OTEL_METRICS_EXPORTER: "none" });
    await end();
    expect(receiver.exports().map(({ path }) => path)).toEqual(["/v1/traces"]);
  });

  it("is nothing when the SDK is disabled", async () => {
    const { end } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SDK_DISABLED: "true" });
    await end();
    expect(receiver.exports()).toEqual([]);
  });

  it("is sent at the configured interval for metrics", async () => {
    const { end } = await start({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/own`, OTEL_METRIC_EXPORT_INTERVAL: "20" });
    await expect.poll(() => receiver.exports().length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(1);
    expect(receiver.exports()[0]?.path).toBe("/own");
    await end();
  });
});

describe("an unavailable collector", () => {
  it.each([
    ["refuses connections", async () => ({ url: "http://127.0.0.1:9", stop: async () => undefined })],
    ["accepts connections and never answers", silentServer],
    // The test sets the exporters' own timeout to ten minutes, which is longer than its time limit.
  ])("and %s fails nothing, is reported once, and does not delay the end", { timeout: 20_000 }, async (_, away) => {
    const { url, stop } = await away();
    const { end, written } = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: "600000" }, 100);
    await end();
    const lines = written()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
    expect(lines).toEqual(["said within", "telemetry could not be exported and is dropped; the services go on"]);
    await stop();
  });
});

describe("a collector of spans that never answers", () => {
  it("leaves measurements and log records their full time", async () => {
    const silent = await silentServer();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: silent.url };
    const { end } = await start(env, 600);
    await end();
    expect(receiver.exports().map(({ path }) => path)).toEqual(["/v1/metrics", "/v1/logs"]);
    await silent.stop();
  });
});

/** Returns telemetry that has recorded one span, one log line and one measurement. */
async function start(env: Readonly<Record<string, string>>, withinMs = 10_000) {
  let text = "";
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const log = createLog({ name: "test", level: "warn", destination });
  const telemetry = await startTelemetry({
    env,
    serviceName: "toolbus",
    log,
    newKey: () => "k".repeat(43),
    monotonic: () => performance.now(),
  });
  await withSpan("the work", {}, async () => {
    log.warn({ runId: "rn_1", token: "hunter2", note: "Bearer abcdefgh12345678" }, "said within");
    measure(metricNames.toolInvocations, 1, { tool_name: "t", status: "ok" });
  });
  return { end: () => telemetry.shutdown(withinMs), written: () => text };
}

async function silentServer() {
  const server = createServer((socket) => void socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const open = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => void open.add(socket));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<undefined>((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve(undefined));
      }),
  };
}
