import type { FastifyInstance } from "fastify";

/** The requests that a server has not answered yet. */
export interface OpenRequests {
  /** Resolves when all requests are answered or their clients have disconnected, and after `ms` milliseconds at most. */
  ended(ms: number): Promise<void>;
}

/** Tracks the requests of a server, including streams. Call it before the server listens. */
export function openRequests(app: FastifyInstance): OpenRequests {
  const open = new Set<object>();
  let onLast = (): void => undefined;
  app.addHook("onRequest", (_request, { raw }, done) => {
    open.add(raw);
    // Fastify's own hook does not run for a client that disconnected, but this event is always emitted.
    raw.once("close", () => {
      open.delete(raw);
      if (open.size === 0) onLast();
    });
    done();
  });
  return {
    async ended(ms) {
      if (open.size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      onLast = resolve;
      await promise;
      clearTimeout(timer);
    },
  };
}
