import type { Route } from "@toolbus/runtime";
import type { Gateway } from "../gateway.ts";

/** `/healthz`: the process lives. `/readyz`: it can reach its store, within a second. */
export function healthRoutes({ state }: Gateway): Route[] {
  return [
    { method: "GET", url: "/healthz", access: "public", handle: async () => ({ status: "ok" }) },
    {
      method: "GET",
      url: "/readyz",
      access: "public",
      handle: async (_request, reply) => {
        const ready = await Promise.race([state.read([]).then(() => true), timeout(1000)]).catch(() => false);
        if (!ready) reply.code(503);
        return { status: ready ? "ready" : "unready", reasons: ready ? [] : ["the state store does not answer"] };
      },
    },
  ];
}

function timeout(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}
