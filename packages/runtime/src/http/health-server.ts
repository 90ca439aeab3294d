import type { Log } from "@toolbus/telemetry";
import { apiKeys } from "./api-keys.ts";
import { type HealthOptions, healthRoutes } from "./health-routes.ts";
import { type HttpServer, startHttpServer } from "./http-server.ts";

export interface HealthServerOptions extends HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly monotonic: () => number;
  readonly log: Log;
}

const ABOUT = {
  title: "Toolbus health",
  description:
    "Whether this process is alive, and whether it accepts work, for the system that starts and stops it. Nothing else is served here.",
} as const;

/**
 * Serves `/healthz` and `/readyz` on a separate port. A monitor can then check a process without an HTTP API, such as an agent or a worker. For a
 * process with an API, the monitor then needs no access to the public port.
 */
export function startHealthServer({ host, port, monotonic, log, ...health }: HealthServerOptions): Promise<HttpServer> {
  return startHttpServer({
    name: "health",
    host,
    port,
    keys: apiKeys([], () => 0),
    routes: healthRoutes(health),
    api: ABOUT,
    config: { HTTPS_ONLY: "false", CORS_ORIGINS: "", AUTH_FAILURES_PER_MINUTE: 0 },
    monotonic,
    log,
  });
}
