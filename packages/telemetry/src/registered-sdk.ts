/** What an SDK that the user started in this process receives. */
export interface RegisteredSdk {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly logs: boolean;
  /** The version of `@opentelemetry/api` with which it was registered, if our version cannot find it; null otherwise. */
  readonly tooOld: string | null;
}

/** Where every copy of OpenTelemetry's API (1.x) keeps its registrations. Read directly, so that nothing is loaded while there is none. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

/** The SDK that this process was started with, as by `node --import ./otel.mjs`; null if there is none. */
export function registeredSdk(): RegisteredSdk | null {
  const registry = (globalThis as { readonly [REGISTRY]?: Readonly<Record<string, unknown>> })[REGISTRY];
  if (!registry) return null;
  const on = { traces: "trace" in registry, metrics: "metrics" in registry, logs: "logs" in registry };
  if (!Object.values(on).some(Boolean)) return null;
  const version = String(registry["version"]);
  return { ...on, tooOld: Number(/^1\.(\d+)\./.exec(version)?.[1] ?? 0) < LEAST_MINOR ? version.slice(0, 40) : null };
}

/** The version of our own copy: the API uses what a later minor version registered, and ignores an earlier one. */
const LEAST_MINOR = 10;
