import { declared, HealthView, ReadinessView } from "@toolbus/contracts";
import type { ClocksToWatch } from "@toolbus/telemetry";
import { getRoute, noQuery, type Route } from "./route.ts";

export interface HealthOptions {
  /** Why the service is not ready, in a few words each that strangers may read. */
  readonly unready: () => readonly string[];
  /** What it cannot work without, each with a check that resolves if it is available. */
  readonly needs: readonly Need[];
  /** What is wrong even if the service works, a sentence each that strangers may read. */
  readonly warnings?: (() => readonly string[]) | undefined;
  /** Whether this machine's clock and the store's agree. If they do not, the service stays ready: deadlines are judged by the store's time. */
  readonly clocks?: Pick<ClocksToWatch, "faults"> | undefined;
}

/** Something that a service cannot work without. */
export interface Need {
  /** The description for strangers, as the beginning of a sentence. */
  readonly what: string;
  /** Resolves if it can be used. Rejects with `Unready` to say why not; after any other error, or a second, it is reported as not answering. */
  readonly ask: () => Promise<unknown>;
}

/** Why something cannot be used, in a few words that strangers may read. Anything that they may not read is in the cause. */
export class Unready extends Error {
  override readonly name = "Unready";
}

const ASK_MS = 1000;
const HEALTH = declared("Health", HealthView);
const READINESS = declared("Readiness", ReadinessView);

/**
 * `/healthz`: the process is alive. `/readyz`: it accepts requests, and everything it needs can be used within a second. Both answer while the server stops.
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

/** Null if it can be used. */
async function whyNot({ what, ask }: Need): Promise<string | null> {
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
