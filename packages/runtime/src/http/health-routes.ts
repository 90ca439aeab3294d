import { declared, HealthView, ReadinessView } from "@toolbus/contracts";
import { getRoute, noQuery, type Route } from "./route.ts";

export interface HealthOptions {
  /** Why the service is not ready, in a few words each that strangers may read. */
  readonly unready: () => readonly string[];
  /** What it cannot work without, each with a question that resolves when it is there. */
  readonly needs: readonly { readonly what: string; readonly ask: () => Promise<unknown> }[];
}

const ASK_MS = 1000;
const HEALTH = declared("Health", HealthView);
const READINESS = declared("Readiness", ReadinessView);

/** `/healthz`: the process lives. `/readyz`: it takes requests, and reaches what it needs within a second. Both answer while the server stops. */
export function healthRoutes({ unready, needs }: HealthOptions): readonly Route[] {
  return [
    getRoute({
      url: "/healthz",
      access: "public",
      whileStopping: true,
      docs: {
        operationId: "getHealth",
        tag: "Service",
        summary: "Whether the process lives.",
        answers: { 200: { says: "It does.", body: HEALTH, example: { status: "ok" } } },
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
        const missing = await Promise.all(needs.map(async ({ what, ask }) => ((await answers(ask)) ? [] : [`${what} does not answer`])));
        const reasons = [...unready(), ...missing.flat()];
        if (reasons.length > 0) reply.code(503).header("retry-after", "2");
        return { status: reasons.length === 0 ? "ready" : "unready", reasons };
      },
    }),
  ];
}

/** Whether it resolves in time. */
async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), ASK_MS);
  const there = await Promise.race([
    ask().then(
      () => true,
      () => false,
    ),
    late,
  ]);
  clearTimeout(timer);
  return there;
}
