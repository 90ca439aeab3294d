import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "./logger.ts";
import { spansAreOn, withSpan } from "./spans.ts";
import { startTelemetry } from "./start-telemetry.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), "toolbus-telemetry-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(dir, { recursive: true });
});

describe("telemetry", () => {
  it("that nobody asked for loads nothing of OpenTelemetry; on request it loads sdk-node, and the instrumentation of amqplib for RabbitMQ", () => {
    const script = `
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { startTelemetry, silentLog } = await import(${JSON.stringify(path.join(import.meta.dirname, "index.ts"))});
      const options = { serviceName: "x", log: silentLog, newKey: () => "k".repeat(43), monotonic: () => 0 };
      const packages = () => ["", "/sdk-node/", "/instrumentation-amqplib/"].map((name) => loaded.some((url) => url.includes("@opentelemetry" + name)));
      const told = [];
      const dir = { TRACE_DIR: ${JSON.stringify(dir)} };
      for (const [env, messagingSystem] of [[{}, "rabbitmq"], [dir, "nats"], [dir, "rabbitmq"]]) {
        await (await startTelemetry({ ...options, env, messagingSystem })).shutdown(1000);
        told.push(packages());
      }
      process.stdout.write(JSON.stringify(told));
    `;
    const reported = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    expect(JSON.parse(reported)).toEqual([
      [false, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it("writes the spans of a trace to one file, each line with its parent, kind, times, attributes, events and status", async () => {
    const telemetry = await start({ TRACE_DIR: path.join(dir, "traces") });
    await withSpan("outer", { kind: "server", inherited: { "toolbus.service": "gateway" } }, async (outer) => {
      outer.event("said", { n: 1 });
      await expect(withSpan("inner", {}, () => Promise.reject(new TypeError("no")))).rejects.toThrow("no");
    });
    await withSpan("another trace", {}, async () => undefined);
    await telemetry.shutdown(5000);
    const files = readdirSync(path.join(dir, "traces"));
    expect(files).toHaveLength(2);
    const file = files.map((name) => path.join(dir, "traces", name)).find((name) => readFileSync(name, "utf8").includes("outer")) ?? "";
    const [inner, outer] = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(`${String(outer?.["traceId"])}.jsonl`).toBe(path.basename(file));
    expect(outer).toMatchObject({
      name: "outer",
      kind: "SERVER",
      attributes: { "toolbus.service": "gateway" },
      events: [{ name: "said", attributes: { n: 1 } }],
      links: [],
      status: "UNSET",
      service: "toolbus",
    });
    expect(inner).toMatchObject({
      parentSpanId: outer?.["spanId"],
      kind: "INTERNAL",
      status: "ERROR",
      attributes: { "error.type": "TypeError" },
    });
    // One monotonic clock gives the durations. The starts are truncated to a whole millisecond of the wall clock, so the ends of two spans
    // cannot be compared.
    const tookNs = (span?: Record<string, unknown>): bigint =>
      BigInt(String(span?.["endTimeUnixNano"])) - BigInt(String(span?.["startTimeUnixNano"]));
    expect(tookNs(inner)).toBeGreaterThan(0n);
    expect(tookNs(outer)).toBeGreaterThanOrEqual(tookNs(inner));
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("writes nothing of a trace that is not sampled, and passes that on", async () => {
    const telemetry = await start({ TRACE_DIR: dir, OTEL_TRACES_SAMPLER: "parentbased_always_off" });
    await withSpan("unsampled", {}, async (span) => expect(span.recording).toBe(false));
    const parent = { how: "received", carrier: { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` } } as const;
    await withSpan("sampled by its caller", { parent }, async (span) => expect(span.recording).toBe(true));
    await telemetry.shutdown(5000);
    expect(readdirSync(dir)).toEqual([`${"a".repeat(32)}.jsonl`]);
  });

  it("leaves spans to the SDK if one of its limits of spans is set, so the limit holds", async () => {
    vi.stubEnv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "1");
    const telemetry = await start({ TRACE_DIR: dir, OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT: "1" });
    await withSpan("work", { attributes: { a: 1, b: 2 } }, async () => undefined);
    await telemetry.shutdown(5000);
    const [file = ""] = readdirSync(dir);
    expect(JSON.parse(readFileSync(path.join(dir, file), "utf8"))).toMatchObject({ name: "work", attributes: { a: 1 } });
    expect(readFileSync(path.join(dir, file), "utf8")).not.toContain('"b"');
  });

  it("is refused with a sentence if its folder cannot be written to", async () => {
    writeFileSync(path.join(dir, "file"), "");
    await expect(start({ TRACE_DIR: path.join(dir, "file", "traces") })).rejects.toThrow("change TRACE_DIR");
    expect(spansAreOn()).toBe(false);
  });

  it("reports an SDK of an older API, and starts none beside it", async () => {
    const key = Symbol.for("opentelemetry.js.api.1");
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (fields: object) => void said.push(fields) };
    Object.assign(globalThis, { [key]: { version: "1.9.1", trace: {} } });
    try {
      const telemetry = await startTelemetry({ env: {}, serviceName: "x", log, newKey: () => "", monotonic: () => 0 });
      expect([said, spansAreOn()]).toEqual([[{ api: "1.9.1" }], false]);
      await telemetry.shutdown(1000);
    } finally {
      Reflect.deleteProperty(globalThis, key);
    }
  });

  it("is on once per process, and can be started again after it ended", async () => {
    const first = await start({ TRACE_DIR: dir });
    await expect(start({ TRACE_DIR: dir })).rejects.toThrow("Telemetry is on in this process already");
    await first.shutdown(1000);
    await first.shutdown(1000);
    const second = await start({ TRACE_DIR: dir });
    expect(spansAreOn()).toBe(true);
    await second.shutdown(1000);
    expect(spansAreOn()).toBe(false);
  });
});

function start(env: Readonly<Record<string, string>>) {
  chmodSync(dir, 0o700);
  return startTelemetry({ env, serviceName: "toolbus", log: silentLog, newKey: () => "k".repeat(43), monotonic: () => performance.now() });
}
