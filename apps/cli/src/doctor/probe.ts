import { type Asked, whyUnreachable } from "../http/unreachable.ts";

/** The state that a service reports about itself. */
export interface Probed {
  readonly reachable: true;
  readonly ready: boolean;
  /** The reasons why the service is not ready, in the service's words. */
  readonly reasons: readonly string[];
  /** Faults that somebody should fix although the service works, in the service's words. */
  readonly warnings: readonly string[];
  /** Whether the answer has the form that a Toolbus service sends. */
  readonly ours: boolean;
  readonly tookMs: number;
  /**
   * The service's clock minus this machine's, in milliseconds. The value comes from the header `Date`, so its error is at most half a second. Null if
   * the answer has no such header.
   */
  readonly clockMs: number | null;
}

export interface NotReached {
  readonly reachable: false;
  readonly why: string;
}

const TIMEOUT_MS = 5000;

/** Asks a service whether it is ready. The request needs no key. Rejects only with the signal's reason. */
export async function probe(service: Asked["service"], url: string, now: () => number, signal: AbortSignal): Promise<Probed | NotReached> {
  const asked = now();
  try {
    const response = await fetch(`${url}/readyz`, {
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const answered = now();
    const said = read(await response.text());
    const date = Date.parse(response.headers.get("date") ?? "");
    return {
      reachable: true,
      ready: response.ok,
      ours: said !== null,
      reasons: said?.reasons ?? [],
      warnings: said?.warnings ?? [],
      tookMs: answered - asked,
      // The header has whole seconds, rounded down, so half a second is added.
      clockMs: Number.isNaN(date) ? null : date + 500 - (asked + answered) / 2,
    };
  } catch (error) {
    signal.throwIfAborted();
    return { reachable: false, why: whyUnreachable(error, { url, service, timeoutMs: TIMEOUT_MS }) };
  }
}

interface Said {
  readonly reasons: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads an answer of `/readyz`, in plain form or as a problem. Returns null if it is neither. */
function read(text: string): Said | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("status" in value)) return null;
  const warnings = "warnings" in value ? textsIn(value.warnings) : [];
  if ("reasons" in value && Array.isArray(value.reasons)) return { reasons: textsIn(value.reasons), warnings };
  return { reasons: "detail" in value && typeof value.detail === "string" ? [value.detail] : [], warnings };
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === "string") : [];
}
