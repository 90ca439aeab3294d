import { readBounded } from "./bounded-file.ts";

/** The measured behaviour of a service that runs a release. */
export interface Metrics {
  /** The share of requests that fail, from 0 to 1. */
  readonly error_rate: number;
  /** The time in milliseconds within which 95 of 100 requests are answered. */
  readonly response_time_p95: number;
}

/** The figures of a release and, if known, those of the previous release. */
export interface DeploymentMetrics extends Metrics {
  readonly baseline?: Metrics;
}

const MAX_BYTES = 64 * 1024;

/** Reads a metrics file: JSON of at most 64 KiB with exactly these fields. Any other file is refused with one sentence. */
export async function readMetrics(
  file: string,
): Promise<{ readonly ok: true; readonly metrics: DeploymentMetrics } | { readonly ok: false; readonly message: string }> {
  const read = await readBounded(file, MAX_BYTES);
  if (!read.ok) return read;
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch {
    return { ok: false, message: `${file} is not JSON.` };
  }
  const parsed = parseFigures(value, ["baseline"]);
  if (!parsed.ok) return { ok: false, message: `${file}: ${parsed.message}` };
  if (parsed.baseline === undefined) return { ok: true, metrics: parsed.metrics };
  const baseline = parseFigures(parsed.baseline, []);
  if (!baseline.ok) return { ok: false, message: `${file}: in baseline, ${baseline.message}` };
  return { ok: true, metrics: { ...parsed.metrics, baseline: baseline.metrics } };
}

type Figures =
  | { readonly ok: true; readonly metrics: Metrics; readonly baseline: unknown }
  | { readonly ok: false; readonly message: string };

function parseFigures(value: unknown, alsoKnown: readonly string[]): Figures {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { ok: false, message: "an object with the figures is expected." };
  const fields = new Map<string, unknown>(Object.entries(value));
  const known = ["error_rate", "response_time_p95", ...alsoKnown];
  const unknown = [...fields.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    return { ok: false, message: `"${unknown.slice(0, 60)}" is not a known field; known are ${known.join(", ")}.` };

  const error_rate = fields.get("error_rate");
  if (typeof error_rate !== "number" || error_rate < 0 || error_rate > 1) {
    return { ok: false, message: "error_rate must be a share from 0 to 1 (0.02 is two in a hundred)." };
  }
  const response_time_p95 = fields.get("response_time_p95");
  // JSON.parse reads 1e999 as Infinity.
  if (typeof response_time_p95 !== "number" || response_time_p95 < 0 || !Number.isFinite(response_time_p95)) {
    return { ok: false, message: "response_time_p95 must be a number of milliseconds, 0 or more." };
  }
  return { ok: true, metrics: { error_rate, response_time_p95 }, baseline: fields.get("baseline") };
}
