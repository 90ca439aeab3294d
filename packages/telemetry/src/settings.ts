import { type LeftToSdk, leftToSdk } from "./left-to-sdk.ts";
import { TelemetryRefused } from "./refused.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export const SIGNALS = ["traces", "metrics", "logs"] as const;
export type Signal = (typeof SIGNALS)[number];

/** The destination of one signal, and how it is sent. */
export interface OtlpTarget {
  readonly url: string;
  readonly protocol: "http/protobuf" | "http/json";
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** The files of certificates that are set. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export interface SamplerSettings {
  readonly root: "always_on" | "always_off" | "traceidratio";
  readonly ratio: number;
  readonly parentBased: boolean;
}

/** The settings for batches of spans or log records. The SDK's default replaces a missing value. */
export interface BatchSettings {
  readonly scheduledDelayMillis?: number;
  readonly exportTimeoutMillis?: number;
  readonly maxQueueSize?: number;
  readonly maxExportBatchSize?: number;
}

/** The address of the page of metrics. */
export interface PageAddress {
  readonly host: string;
  readonly port: number;
}

export interface TelemetrySettings extends LeftToSdk {
  /** True to switch off all of OpenTelemetry, including an SDK that the user started. */
  readonly disabled: boolean;
  /** The collector of each signal. It is null for a signal that is not sent to one. */
  readonly targets: Readonly<Record<Signal, OtlpTarget | null>>;
  /** The signals that are written to standard output. */
  readonly console: Readonly<Record<Signal, boolean>>;
  readonly sampler: SamplerSettings;
  readonly batches: { readonly spans: BatchSettings; readonly records: BatchSettings };
  readonly metricIntervalMs: number;
  /** Where `/metrics` is served for Prometheus, or null if it is not served. */
  readonly metricsPage: PageAddress | null;
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  /** The folder of trace files, or null if none are written. */
  readonly traceDir: string | null;
  readonly auditFile: string | null;
  readonly auditKeyFile: string | null;
}

/**
 * Reads OpenTelemetry's standard variables and our own. A signal is sent if an endpoint is set for it or its exporter is named. Throws
 * `TelemetryRefused` on the first invalid value.
 */
export function readTelemetrySettings(env: Environment, defaultServiceName: string): TelemetrySettings {
  const disabled = flag(env, "OTEL_SDK_DISABLED");
  const resource = pairs(env, "OTEL_RESOURCE_ATTRIBUTES");
  const off = { otlp: null, console: false };
  const of = (signal: Signal) => (disabled ? off : exportersOf(env, signal));
  const [traces, metrics, logs] = [of("traces"), of("metrics"), of("logs")];
  return {
    disabled,
    targets: { traces: traces.otlp, metrics: metrics.otlp, logs: logs.otlp },
    console: { traces: traces.console, metrics: metrics.console, logs: logs.console },
    sampler: sampler(env),
    ...leftToSdk(env),
    batches: { spans: batch(env, "OTEL_BSP"), records: batch(env, "OTEL_BLRP") },
    metricIntervalMs: whole(env, "OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    metricsPage: disabled ? null : metricsPage(env),
    serviceName: given(env, "OTEL_SERVICE_NAME") ?? resource["service.name"] ?? defaultServiceName,
    resource,
    traceDir: disabled ? null : (given(env, "TRACE_DIR") ?? null),
    auditFile: given(env, "TOOL_AUDIT_FILE") ?? null,
    auditKeyFile: given(env, "AUDIT_KEY_FILE") ?? null,
  };
}

interface Exporters {
  readonly otlp: OtlpTarget | null;
  readonly console: boolean;
}

function exportersOf(env: Environment, signal: Signal): Exporters {
  const name = `OTEL_${signal.toUpperCase()}_EXPORTER`;
  const named = given(env, name)
    ?.split(",")
    .map((one) => one.trim());
  for (const one of named ?? []) {
    if (one === "prometheus")
      throw new TelemetryRefused(
        `${name} is "${shown(named?.join(",") ?? "")}": to serve /metrics for Prometheus, set METRICS_PORT instead.`,
      );
    if (!EXPORTERS.has(one) || (one === "none" && named?.length !== 1))
      throw new TelemetryRefused(
        `${name} is "${shown(named?.join(",") ?? "")}", but Toolbus knows "otlp", "console" (or both, with a comma) and "none".`,
      );
  }
  const sends = named ? named.includes("otlp") : hasEndpoint(env, signal);
  return { otlp: sends ? target(env, signal) : null, console: named?.includes("console") ?? false };
}

const EXPORTERS: ReadonlySet<string> = new Set(["otlp", "console", "none"]);

function hasEndpoint(env: Environment, signal: Signal): boolean {
  const names = [`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`, "OTEL_EXPORTER_OTLP_ENDPOINT"];
  return names.some((name) => given(env, name) !== undefined);
}

function target(env: Environment, signal: Signal): OtlpTarget {
  const upper = signal.toUpperCase();
  const own = given(env, `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`);
  const shared = given(env, "OTEL_EXPORTER_OTLP_ENDPOINT");
  const of = (name: string): string | undefined =>
    given(env, `OTEL_EXPORTER_OTLP_${upper}_${name}`) ?? given(env, `OTEL_EXPORTER_OTLP_${name}`);
  const tls = { ca: of("CERTIFICATE"), cert: of("CLIENT_CERTIFICATE"), key: of("CLIENT_KEY") };
  return {
    url:
      own === undefined
        ? endpoint(shared ?? "http://localhost:4318", "OTEL_EXPORTER_OTLP_ENDPOINT", `v1/${signal}`)
        : endpoint(own, `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`, ""),
    protocol: protocol(of("PROTOCOL") ?? "http/protobuf"),
    headers: { ...pairs(env, "OTEL_EXPORTER_OTLP_HEADERS"), ...pairs(env, `OTEL_EXPORTER_OTLP_${upper}_HEADERS`) },
    timeoutMs: whole({ TIMEOUT: of("TIMEOUT") }, "TIMEOUT", 10_000, "OTEL_EXPORTER_OTLP_TIMEOUT"),
    tls: Object.fromEntries(Object.entries(tls).filter(([, file]) => file !== undefined)),
  };
}

/** Returns the URL for a signal. The address may contain a password, so the message of an error never repeats it. */
function endpoint(text: string, name: string, path: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new TelemetryRefused(
      `${name} is not an address: give one that begins with http:// or https://, for example http://localhost:4318.`,
    );
  return path === "" ? text : `${text.replace(/\/+$/, "")}/${path}`;
}

function protocol(text: string): OtlpTarget["protocol"] {
  if (text === "http/protobuf" || text === "http/json") return text;
  const why = text === "grpc" ? "gRPC is not supported" : `"${shown(text)}" is not a protocol that Toolbus knows`;
  throw new TelemetryRefused(
    `OTEL_EXPORTER_OTLP_PROTOCOL: ${why}; use http/protobuf (the default) or http/json, which every collector accepts on port 4318.`,
  );
}

const SAMPLERS: Readonly<Record<string, Pick<SamplerSettings, "root" | "parentBased">>> = {
  always_on: { root: "always_on", parentBased: false },
  always_off: { root: "always_off", parentBased: false },
  traceidratio: { root: "traceidratio", parentBased: false },
  parentbased_always_on: { root: "always_on", parentBased: true },
  parentbased_always_off: { root: "always_off", parentBased: true },
  parentbased_traceidratio: { root: "traceidratio", parentBased: true },
};

function sampler(env: Environment): SamplerSettings {
  const name = given(env, "OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const known = SAMPLERS[name];
  if (!known)
    throw new TelemetryRefused(`OTEL_TRACES_SAMPLER is "${shown(name)}", but it must be one of ${Object.keys(SAMPLERS).join(", ")}.`);
  const text = given(env, "OTEL_TRACES_SAMPLER_ARG") ?? "1";
  const ratio = Number(text);
  if (known.root === "traceidratio" && !(ratio >= 0 && ratio <= 1))
    throw new TelemetryRefused(`OTEL_TRACES_SAMPLER_ARG is "${shown(text)}", but it must be a share from 0 to 1, for example 0.1.`);
  return { ...known, ratio };
}

function batch(env: Environment, prefix: "OTEL_BSP" | "OTEL_BLRP"): BatchSettings {
  const read = {
    scheduledDelayMillis: optional(env, `${prefix}_SCHEDULE_DELAY`, "milliseconds"),
    exportTimeoutMillis: optional(env, `${prefix}_EXPORT_TIMEOUT`, "milliseconds"),
    maxQueueSize: optional(env, `${prefix}_MAX_QUEUE_SIZE`, "records"),
    maxExportBatchSize: optional(env, `${prefix}_MAX_EXPORT_BATCH_SIZE`, "records"),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

function metricsPage(env: Environment): PageAddress | null {
  const text = given(env, "METRICS_PORT") ?? "0";
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > HIGHEST_PORT)
    throw new TelemetryRefused(
      `METRICS_PORT is "${shown(text)}", but it must be a port from 1 to ${HIGHEST_PORT}, for example 9464, or 0 to serve no /metrics.`,
    );
  return port === 0 ? null : { host: given(env, "METRICS_HOST") ?? "127.0.0.1", port };
}

const HIGHEST_PORT = 65_535;

function flag(env: Environment, name: string): boolean {
  return given(env, name)?.toLowerCase() === "true";
}

function whole(env: Environment, name: string, byDefault: number, shownName = name): number {
  return optional(env, name, "milliseconds", shownName) ?? byDefault;
}

function optional(env: Environment, name: string, unit: "milliseconds" | "records", shownName = name): number | undefined {
  const text = given(env, name);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new TelemetryRefused(`${shownName} is "${shown(text)}", but it must be a whole number of ${unit}.`);
  return Number(text);
}

/**
 * Reads a list such as `key=value,other=value`, with percent-encoded values. An invalid pair may be a credential, so the message does not show it.
 */
function pairs(env: Environment, name: string): Readonly<Record<string, string>> {
  const entries = (given(env, name) ?? "").split(",").map((entry) => entry.trim());
  return Object.fromEntries(
    entries.flatMap((entry) => {
      if (entry === "") return [];
      const [key = "", ...rest] = entry.split("=");
      const value = decoded(rest.join("=").trim());
      if (key.trim() === "" || rest.length === 0 || value === null)
        throw new TelemetryRefused(`${name} must be a list of key=value pairs, separated by commas, with %-escapes in the values.`);
      return [[key.trim(), value]];
    }),
  );
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function given(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === "" ? undefined : text;
}

function shown(text: string): string {
  return text.slice(0, 40);
}
