import { describe, expect, it } from "vitest";
import { readTelemetrySettings } from "./settings.ts";

const read = (env: Readonly<Record<string, string>>) => readTelemetrySettings(env, "toolbus");

describe("the telemetry settings", () => {
  it("ask for nothing by default", () => {
    const settings = read({});
    expect(settings).toMatchObject({ targets: { traces: null, metrics: null, logs: null }, traceDir: null, auditFile: null });
    expect(settings).toMatchObject({ serviceName: "toolbus", sampler: { root: "always_on", parentBased: true }, metricIntervalMs: 60_000 });
  });

  it("send every signal to its path of one endpoint, as protobuf", () => {
    const { targets } = read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" });
    expect(targets.traces).toMatchObject({ url: "http://collector:4318/v1/traces", protocol: "http/protobuf", timeoutMs: 10_000 });
    expect(targets.metrics?.url).toBe("http://collector:4318/v1/metrics");
    expect(targets.logs?.url).toBe("http://collector:4318/v1/logs");
  });

  it("give a signal its own endpoint, protocol and headers", () => {
    const { targets } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "team=a%20b,shared=1",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces/own",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "shared=2",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "2000",
      OTEL_LOGS_EXPORTER: "none",
    });
    expect(targets.traces).toEqual({
      url: "https://traces/own",
      protocol: "http/json",
      headers: { team: "a b", shared: "2" },
      timeoutMs: 2000,
      tls: {},
    });
    expect(targets.metrics).toMatchObject({ protocol: "http/protobuf", headers: { shared: "1" } });
    expect(targets.logs).toBeNull();
  });

  it("send one signal alone, to the usual endpoint if only its exporter is named", () => {
    const { targets } = read({ OTEL_METRICS_EXPORTER: "otlp" });
    expect(targets).toMatchObject({ traces: null, metrics: { url: "http://localhost:4318/v1/metrics" }, logs: null });
  });

  it("write a signal to standard output, alone or beside the collector, if its exporter says so", () => {
    const settings = read({ OTEL_TRACES_EXPORTER: "otlp, console", OTEL_LOGS_EXPORTER: "console" });
    expect(settings.console).toEqual({ traces: true, metrics: false, logs: true });
    expect(settings.targets).toMatchObject({ traces: { url: "http://localhost:4318/v1/traces" }, metrics: null, logs: null });
  });

  it.each([
    ["OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", true, false],
    ["OTEL_SPAN_EVENT_COUNT_LIMIT", true, false],
    ["OTEL_LINK_ATTRIBUTE_COUNT_LIMIT", true, false],
    ["OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", true, false],
    ["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", false, true],
    ["OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", false, true],
    ["OTEL_BSP_MAX_QUEUE_SIZE", false, false],
  ])("with %s leave spans or metrics to the SDK, which reads it", (name, spanLimits, otherMetrics) => {
    expect(read({ [name]: "9" })).toMatchObject({ spanLimits, otherMetrics });
    expect(read({ [name]: " " })).toMatchObject({ spanLimits: false, otherMetrics: false });
  });

  it("serve /metrics at a port of this machine only, if a port is set and the SDK is not disabled", () => {
    expect(read({}).metricsPage).toBeNull();
    expect(read({ METRICS_PORT: "0" }).metricsPage).toBeNull();
    expect(read({ METRICS_PORT: "9464" }).metricsPage).toEqual({ host: "127.0.0.1", port: 9464 });
    expect(read({ METRICS_PORT: "9464", METRICS_HOST: "0.0.0.0" }).metricsPage).toEqual({ host: "0.0.0.0", port: 9464 });
    expect(read({ METRICS_PORT: "9464", OTEL_SDK_DISABLED: "true" }).metricsPage).toBeNull();
  });

  it.each(["x", "-1", "65536", "9464.5"])("refuse METRICS_PORT=%s in a sentence", (port) => {
    expect(() => read({ METRICS_PORT: port })).toThrow(
      `METRICS_PORT is "${port}", but it must be a port from 1 to 65535, for example 9464, or 0 to serve no /metrics.`,
    );
  });

  it("name METRICS_PORT to who asks for OpenTelemetry's exporter for Prometheus", () => {
    expect(() => read({ OTEL_METRICS_EXPORTER: "prometheus" })).toThrow(
      'OTEL_METRICS_EXPORTER is "prometheus": to serve /metrics for Prometheus, set METRICS_PORT instead.',
    );
  });

  it("batch spans and log records, each by its own variables", () => {
    const { batches } = read({ OTEL_BSP_SCHEDULE_DELAY: "100", OTEL_BSP_MAX_QUEUE_SIZE: "4096", OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: "64" });
    expect(batches).toEqual({ spans: { scheduledDelayMillis: 100, maxQueueSize: 4096 }, records: { maxExportBatchSize: 64 } });
    expect(read({}).batches).toEqual({ spans: {}, records: {} });
  });

  it("send nothing and write no traces if the SDK is disabled, but keep the audit", () => {
    const env = { OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://c:4318", TRACE_DIR: "/t", TOOL_AUDIT_FILE: "/a" };
    expect(read(env)).toMatchObject({
      disabled: true,
      targets: { traces: null, metrics: null, logs: null },
      traceDir: null,
      auditFile: "/a",
    });
  });

  it.each([
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=one,zone=b" }, "one"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "service.name=one", OTEL_SERVICE_NAME: "two" }, "two"],
  ])("name the service as %o says: %s", (env, name) => {
    expect(read(env).serviceName).toBe(name);
  });

  it.each([
    ["parentbased_traceidratio", { root: "traceidratio", ratio: 0.25, parentBased: true }],
    ["traceidratio", { root: "traceidratio", ratio: 0.25, parentBased: false }],
    ["parentbased_always_off", { root: "always_off", ratio: 0.25, parentBased: true }],
    ["always_on", { root: "always_on", ratio: 0.25, parentBased: false }],
  ])("use the sampler %s", (name, sampler) => {
    expect(read({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: "0.25" }).sampler).toEqual(sampler);
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "gRPC is not supported; use http/protobuf"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_PROTOCOL: "smoke" }, '"smoke" is not a protocol'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }, "OTEL_EXPORTER_OTLP_ENDPOINT is not an address"],
    [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "ftp://c" }, "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is not an address"],
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, 'OTEL_TRACES_EXPORTER is "zipkin"'],
    [{ OTEL_METRICS_EXPORTER: "otlp,none" }, 'OTEL_METRICS_EXPORTER is "otlp,none"'],
    [{ OTEL_BSP_MAX_QUEUE_SIZE: "many" }, "a whole number of records"],
    [{ OTEL_TRACES_SAMPLER: "jaeger_remote" }, "it must be one of always_on,"],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "2" }, "a share from 0 to 1"],
    [{ OTEL_METRIC_EXPORT_INTERVAL: "1m" }, "a whole number of milliseconds"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_TIMEOUT: "soon" }, 'OTEL_EXPORTER_OTLP_TIMEOUT is "soon"'],
    [{ OTEL_RESOURCE_ATTRIBUTES: "zone" }, "OTEL_RESOURCE_ATTRIBUTES must be a list of key=value pairs"],
    [{ OTEL_RESOURCE_ATTRIBUTES: "zone=%zz" }, "%-escapes"],
  ])("refuse %o with one sentence", (env, sentence) => {
    expect(() => read(env)).toThrow(sentence);
  });

  it("repeat neither headers nor an address, which may hold a password", () => {
    expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", OTEL_EXPORTER_OTLP_HEADERS: "hunter2" })).toThrow(/^(?!.*hunter2)/);
    expect(() => read({ OTEL_EXPORTER_OTLP_ENDPOINT: "user:hunter2@c" })).toThrow(/^(?!.*hunter2)/);
  });
});
