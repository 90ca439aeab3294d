import { createHash } from "node:crypto";
import type { Role } from "@toolbus/contracts";
import { silentLog } from "@toolbus/telemetry";
import { apiKeys } from "../http/api-keys.ts";
import type { HttpServerOptions } from "../http/http-server.ts";
import type { Route } from "../http/route.ts";

const ROLES: readonly Role[] = ["user", "operator", "approver"];

/** The parts of a route that a test needs. */
export type PlainRoute = Omit<Route, "docs">;

/** Returns the route with the minimum documentation that a server accepts. */
export function documented(route: PlainRoute): Route {
  const id = route.url.includes(":id") ? { id: { says: "The thing.", pattern: "^.+$", example: "one" } } : {};
  const docs = { operationId: `${route.method} ${route.url}`, tag: "Test", summary: "A route of a test.", ...id, problems: [] };
  return { ...route, docs: { ...docs, answers: { 200: { says: "Yes." } } } };
}

/** Returns the options of a server without routes or limits. The key of each role is `key-<role>`. */
export function serverOptions(part: Partial<HttpServerOptions> = {}): HttpServerOptions {
  return {
    name: "test",
    host: "127.0.0.1",
    port: 0,
    keys: apiKeys(ROLES.map(keyOf), () => 0),
    routes: [],
    api: { title: "A test", description: "Of a server." },
    config: { HTTPS_ONLY: "false", CORS_ORIGINS: "", AUTH_FAILURES_PER_MINUTE: 0 },
    monotonic: () => 0,
    log: silentLog,
    ...part,
  };
}

function keyOf(role: Role) {
  const sha256 = createHash("sha256").update(`key-${role}`).digest("hex");
  return { id: role, sha256, principal: role, tenant: "acme", roles: [role], scopes: [] };
}
