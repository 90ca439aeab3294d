/** The signals that an SDK of the user receives in this process. */
export interface RegisteredSdk {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly logs: boolean;
  /** The version of `@opentelemetry/api` that registered the SDK, if our version cannot find this SDK. Otherwise it is null. */
  readonly tooOld: string | null;
}

/**
 * The place where every copy of OpenTelemetry's API (1.x) keeps its registrations. We read it directly, so that nothing is loaded if there is no SDK.
 */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

/** Returns the SDK with which this process was started, for example by `node --import ./otel.mjs`. Returns null if there is none. */
export function registeredSdk(): RegisteredSdk | null {
  const registry = (globalThis as { readonly [REGISTRY]?: Readonly<Record<string, unknown>> })[REGISTRY];
  if (!registry) return null;
  const on = { traces: "trace" in registry, metrics: "metrics" in registry, logs: "logs" in registry };
  if (!Object.values(on).some(Boolean)) return null;
  const version = String(registry["version"]);
  return { ...on, tooOld: Number(/^1\.(\d+)\./.exec(version)?.[1] ?? 0) < LEAST_MINOR ? version.slice(0, 40) : null };
}

/** The minor version of our own copy of the API. The copy uses registrations of later minor versions, and ignores those of earlier ones. */
const LEAST_MINOR = 10;
