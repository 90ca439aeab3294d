/** What an SDK that somebody else started in this process takes. */
export interface RegisteredSdk {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly logs: boolean;
  /** Of `@opentelemetry/api`, where it was registered by one that ours finds nothing in; null otherwise. */
  readonly tooOld: string | null;
}

/** Where every copy of OpenTelemetry's API (1.x) keeps what was registered with it. Asked for here so that nothing is loaded while there is none. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

/** The SDK that this process was started with, as by `node --import ./otel.mjs`; null when there is none. */
export function registeredSdk(): RegisteredSdk | null {
  const registry = (globalThis as { readonly [REGISTRY]?: Readonly<Record<string, unknown>> })[REGISTRY];
  if (!registry) return null;
  const on = { traces: "trace" in registry, metrics: "metrics" in registry, logs: "logs" in registry };
  if (!Object.values(on).some(Boolean)) return null;
  const version = String(registry["version"]);
  return { ...on, tooOld: Number(/^1\.(\d+)\./.exec(version)?.[1] ?? 0) < LEAST_MINOR ? version.slice(0, 40) : null };
}

/** Of our own copy: the API takes what a later minor version registered, and nothing of an earlier one. */
const LEAST_MINOR = 10;
