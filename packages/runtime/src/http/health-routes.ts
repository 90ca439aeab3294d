import { declared, HealthView, ReadinessView } from "@toolbus/contracts";
import type { ClocksToWatch } from "@toolbus/telemetry";
import { getRoute, noQuery, type Route } from "./route.ts";

export interface HealthOptions {
  /** Returns the reasons why the service is not ready. Each has a few words that strangers may read. */
  readonly unready: () => readonly string[];
  /** The things that the service cannot work without. The `ask` of each resolves if the service can use it. */
  readonly needs: readonly Need[];
  /** Returns the faults with which the service still works. Each is a sentence that strangers may read. */
  readonly warnings?: (() => readonly string[]) | undefined;
  /**
   * Reports whether this machine's clock and the store's agree. The service stays ready if they differ, because the
   * store's time decides about deadlines.
   */
  readonly clocks?: Pick<ClocksToWatch, "faults"> | undefined;
}

/** Something that a service cannot work without. */
export interface Need {
  /** The name of the thing, as the beginning of a sentence that strangers may read. */
  readonly what: string;
  /**
   * Resolves if the service can use the thing, and rejects with `Unready` to say why not. Any other error, or no answer within a second, is reported
   * as "does not answer".
   */
  readonly ask: () => Promise<unknown>;
}

/** The reason why something cannot be used. The message has a few words that strangers may read, and the cause has everything else. */
export class Unready extends Error {
  override readonly name = "Unready";
}

const ASK_MS = 1000;
const HEALTH = declared("Health", HealthView);
const READINESS = declared("Readiness", ReadinessView);

/**
 * Returns the routes `/healthz` and `/readyz`, which also answer while the server stops. `/healthz` says that the process is alive. `/readyz` says
 * whether the process accepts requests, and whether everything that it needs answers within a second.
 */
export function healthRoutes({ unready, needs, clocks, warnings: more }: HealthOptions): readonly Route[] {
  return [
    getRoute({
      url: "/healthz",
      access: "public",
      whileStopping: true,
      docs: {
        operationId: "getHealth",
        tag: "Service",
        summary: "Whether the process is alive.",
        answers: { 200: { says: "It is.", body: HEALTH, example: { status: "ok" } } },
        problems: [],
      },
      query: noQuery,
      handle: async () => ({ status: "ok" }),
    }),
    getRoute({
      url: "/readyz",
      access: "public",
      whileStopping: true,
      docs: {
        operationId: "getReadiness",
        tag: "Service",
        summary: "Whether requests should be sent here.",
        answers: {
          200: { says: "They should.", body: READINESS, example: { status: "ready", reasons: [] } },
          503: { says: "Not now, and why.", body: READINESS, example: { status: "unready", reasons: ["stopping"] } },
        },
        problems: [],
      },
      query: noQuery,
      handle: async ({ reply }) => {
        const missing = await Promise.all(needs.map(whyNot));
        const reasons = [...new Set([...unready(), ...missing.flatMap((reason) => reason ?? [])])];
        if (reasons.length > 0) reply.code(503).header("retry-after", "2");
        const warnings = [...(clocks?.faults() ?? []).map(({ sentence }) => sentence), ...(more?.() ?? [])];
        return { status: reasons.length === 0 ? "ready" : "unready", reasons, ...(warnings.length === 0 ? {} : { warnings }) };
      },
    }),
  ];
}

/** Returns why something cannot be used, or null if it can. */
export async function whyNot({ what, ask }: Need): Promise<string | null> {
  const silent = `${what} does not answer`;
  const { promise: late, resolve } = Promise.withResolvers<string>();
  const timer = setTimeout(() => resolve(silent), ASK_MS);
  const said = ask().then(
    () => null,
    (error: unknown) => (error instanceof Unready ? error.message : silent),
  );
  try {
    return await Promise.race([said, late]);
  } finally {
    clearTimeout(timer);
  }
}
