import { jsonlFiles } from "./jsonl-files.ts";
import type { Log } from "./logger.ts";
import { recorder, setRecorder } from "./recorder.ts";
import { TelemetryRefused } from "./refused.ts";
import { type RegisteredSdk, registeredSdk } from "./registered-sdk.ts";
import { readTelemetrySettings, type TelemetrySettings } from "./settings.ts";
import { openToolAudit, type ToolAudit } from "./tool-audit.ts";

export interface Telemetry {
  /** Sends and writes the remaining data within `withinMs` milliseconds, and switches telemetry off. Never rejects. A second call is safe. */
  shutdown(withinMs: number): Promise<void>;
}

export interface TelemetryOptions {
  /**
   * The process's environment: OpenTelemetry's standard variables, METRICS_HOST, METRICS_PORT, TRACE_DIR, TOOL_AUDIT_FILE and AUDIT_KEY_FILE.
   */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The `service.name`, unless OTEL_SERVICE_NAME sets another one. */
  readonly serviceName: string;
  /** The messaging system. With `rabbitmq`, the client of RabbitMQ gets spans of its own and must not be loaded yet. */
  readonly messagingSystem?: string;
  readonly log: Log;
  /** Returns 256 random bits as text. */
  readonly newKey: () => string;
  /** A monotonic clock, in milliseconds. */
  readonly monotonic: () => number;
}

/**
 * Starts the telemetry that the environment asks for. If it asks for nothing, nothing is loaded and nothing runs. If the process was started with
 * another SDK of OpenTelemetry (`--import`), that SDK receives everything, and its owner stops it. If a collector is unreachable, telemetry drops
 * what it cannot send and logs one line per minute. Throws `TelemetryRefused` for settings, folders and files that cannot be used, and if telemetry
 * is already on in this process.
 */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const settings = readTelemetrySettings(options.env, options.serviceName);
  const registered = settings.disabled || isOn() ? null : registeredSdk();
  if (!isWanted(settings) && !registered) return { shutdown: async () => undefined };
  if (isOn()) throw new TelemetryRefused("Telemetry is on in this process already; stop the services that run before you start others.");
  const { log, newKey } = options;
  const onFault = seldom(options.monotonic, (why, times) =>
    log.warn({ why, times }, "telemetry could not be exported and is dropped; the services go on"),
  );
  const files = jsonlFiles({ onLost: (_lines, code) => onFault(code) });
  const audit = settings.auditFile === null ? null : await auditOf(settings.auditFile);
  const sdk = registered ? await borrowSdk(registered) : usesSdk(settings) ? await startSdk() : null;
  setRecorder({ spans: null, measurements: null, logs: null, ...sdk?.recorder, audit });
  let stopping: Promise<void> | null = null;
  return { shutdown: (withinMs) => (stopping ??= stop(withinMs)) };

  async function startSdk() {
    const { sdkRecorder } = await import("./otel/sdk-recorder.ts");
    const instrumentAmqp = options.messagingSystem === "rabbitmq";
    const { monotonic } = options;
    const started = await sdkRecorder({ settings, instanceId: newKey().slice(0, 22), files, instrumentAmqp, onFault, monotonic });
    if (settings.metricsPage) log.info({ ...settings.metricsPage }, "metrics are served at /metrics");
    return started;
  }

  async function borrowSdk(on: RegisteredSdk) {
    if (settings.traceDir !== null)
      throw new TelemetryRefused(
        "TRACE_DIR is set, but this process was started with an OpenTelemetry SDK of its own, which gets all spans: unset TRACE_DIR, or start the process without that SDK.",
      );
    if (settings.metricsPage !== null) {
      // This is not refused, because the Docker image sets METRICS_PORT for every process.
      const words =
        "METRICS_PORT is set, but this process was started with an OpenTelemetry SDK of its own, which gets all measurements, so /metrics is not served: add an exporter for Prometheus to that SDK";
      log.warn({}, words);
    }
    if (on.tooOld !== null) {
      const words = "the OpenTelemetry SDK that this process was started with receives nothing: its API is older than ours (1.10)";
      log.warn({ api: on.tooOld }, words);
      return null;
    }
    const { apiRecorder } = await import("./otel/api-recorder.ts");
    return { recorder: apiRecorder(on), shutdown: async () => undefined };
  }

  function auditOf(file: string): Promise<ToolAudit> {
    return openToolAudit(files, { file, keyFile: settings.auditKeyFile ?? `${file}.key`, newKey });
  }

  async function stop(withinMs: number): Promise<void> {
    await sdk?.shutdown(withinMs);
    setRecorder(null);
    await files.flush();
  }
}

function isWanted(settings: TelemetrySettings): boolean {
  return settings.auditFile !== null || usesSdk(settings);
}

function usesSdk({ targets, console, traceDir, metricsPage }: TelemetrySettings): boolean {
  return (
    traceDir !== null ||
    metricsPage !== null ||
    Object.values(targets).some((target) => target !== null) ||
    Object.values(console).some(Boolean)
  );
}

function isOn(): boolean {
  return Object.values(recorder()).some((part) => part !== null);
}

const SELDOM_MS = 60_000;

/** Reports the first failure at once, and later ones at most once a minute, with their number. */
function seldom(monotonic: () => number, tell: (why: string, times: number) => void): (why: string, more?: number) => void {
  let times = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (why, more = 1) => {
    times += more;
    if (monotonic() - reportedAt < SELDOM_MS) return;
    reportedAt = monotonic();
    tell(why, times);
    times = 0;
  };
}
