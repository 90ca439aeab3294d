import { type ProblemCode, problemCodes, type Role } from "@toolbus/contracts";
import { StoreUnavailable } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from "fastify";
import { Refusal } from "../refusal.ts";
import type { ApiKeys, Principal } from "./api-keys.ts";
import { openRequests } from "./open-requests.ts";
import { HttpProblem } from "./problem.ts";

/** Who may call a route. There is no default: a route without it does not type-check. */
export type Access = "public" | readonly Role[];

export interface Route {
  readonly method: "GET" | "POST";
  /** In Fastify's form: `/v1/runs/:id`. */
  readonly url: string;
  readonly access: Access;
  /** The principal is null on public routes only. A returned value is sent as JSON; `undefined` when the handler answered by itself. */
  readonly handle: (request: FastifyRequest, reply: FastifyReply, principal: Principal) => Promise<unknown>;
}

export interface HttpServer {
  /** With the port that was taken. */
  readonly url: string;
  readonly app: FastifyInstance;
  /** Refuses new requests, waits for those under way for 5 s at most, then closes. Safe to call twice. */
  stop(): Promise<void>;
}

export interface HttpServerOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly keys: ApiKeys;
  readonly routes: readonly Route[];
  readonly log: Log;
  /** Called at the start of a stop, before connections are closed: end streams here. */
  readonly onStopping?: () => Promise<void>;
}

const MAX_BODY = 256 * 1024;
const FINISH_MS = 5000;
const METHODS: readonly HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
// What keeps a browser from guessing types, caching, telling where it was, and framing.
const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;
const NOBODY: Principal = { id: "", tenant: "", roles: [], scopes: [], keyId: "" };

/** Starts an HTTP server whose every "no" is `application/problem+json`, whose every route declares who may call it, and which refuses unknown fields. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const app = Fastify({
    bodyLimit: MAX_BODY,
    requestTimeout: 30_000,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 300 },
    // What Fastify refuses before it looks for a route.
    frameworkErrors: (error, _request, reply) => send(reply, asProblem(error)),
  });
  // Fastify reads text too; here a body is JSON.
  app.removeContentTypeParser("text/plain");
  let stopped: Promise<void> | null = null;
  const open = openRequests(app);
  answerProblems(app, options.log);
  app.addHook("onRequest", async () => {
    if (stopped)
      throw new HttpProblem(
        "shutting_down",
        "The server is stopping.",
        { remedy: "Repeat the request in a moment." },
        { "retry-after": "2", connection: "close" },
      );
  });
  for (const route of options.routes) add(app, route, options.keys);
  refuseOtherMethods(app, options.routes);
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    throw portRefusal(error, options);
  }
  const address = app.server.address();
  const port = typeof address === "object" && address ? address.port : options.port;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    app,
    stop: () => (stopped ??= stop()),
  };

  async function stop(): Promise<void> {
    await options.onStopping?.();
    await open.ended(FINISH_MS);
    await app.close();
  }
}

function add(app: FastifyInstance, { method, url, access, handle }: Route, keys: ApiKeys): void {
  const callers = new WeakMap<FastifyRequest, Principal>();
  app.route({
    method,
    url,
    // HEAD would run the handlers of GET without their reader.
    exposeHeadRoute: false,
    // Before the body is read: a stranger costs no parsing and learns nothing from it.
    onRequest: async (request) => {
      if (access !== "public") callers.set(request, authorise(keys, request, access));
    },
    handler: async (request, reply) => handle(request, reply, callers.get(request) ?? NOBODY),
  });
}

function authorise(keys: ApiKeys, request: FastifyRequest, roles: readonly Role[]): Principal {
  const principal = keys.find(request.headers.authorization);
  if (!principal) {
    throw new HttpProblem(
      "unauthenticated",
      "This route needs an API key of this service.",
      { remedy: 'Send it as "Authorization: Bearer <key>"; "npm start" prints the keys it generated.' },
      { "www-authenticate": "Bearer" },
    );
  }
  if (!principal.roles.some((role) => roles.includes(role))) {
    throw new HttpProblem("forbidden", `This route is for the role ${roles.join(" or ")}; this key has ${principal.roles.join(", ")}.`, {
      remedy: "Use a key with that role.",
    });
  }
  return principal;
}

function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[]): void {
  const byUrl = Map.groupBy(routes, (route) => route.url);
  for (const [url, here] of byUrl) {
    const allowed = here.map((route) => route.method as HTTPMethods);
    const allow = allowed.join(", ");
    app.route({
      method: METHODS.filter((method) => !allowed.includes(method)),
      url,
      exposeHeadRoute: false,
      // Before the body is read: whatever it is, the method is what is wrong.
      onRequest: async () => {
        throw new HttpProblem("method_not_allowed", `This route takes ${allow} only.`, {}, { allow });
      },
      handler: async () => undefined,
    });
  }
}

function answerProblems(app: FastifyInstance, log: Log): void {
  app.addHook("onSend", async (_request, reply) => {
    reply.headers(SAFE_HEADERS);
  });
  app.setNotFoundHandler((request, reply) => {
    send(
      reply,
      new HttpProblem("not_found", `There is no route ${request.method} ${request.url.split("?")[0]?.slice(0, 200) ?? ""}.`, {
        remedy: "The README lists the routes.",
      }),
    );
  });
  app.setErrorHandler((error: FastifyError | HttpProblem, request, reply) => {
    const problem = asProblem(error);
    if (problem.code === "internal") log.error({ error, method: request.method, route: request.routeOptions.url }, "a request failed");
    send(reply, problem);
  });
}

function send(reply: FastifyReply, problem: HttpProblem): void {
  // No hook runs for what Fastify refuses itself, so they are set here too.
  reply
    .code(problem.status)
    .headers({ ...SAFE_HEADERS, ...problem.headers })
    .type("application/problem+json")
    .send(JSON.stringify(problem.body()));
}

function asProblem(error: FastifyError | HttpProblem | Error): HttpProblem {
  if (error instanceof HttpProblem) return error;
  if (error instanceof StoreUnavailable) {
    return new HttpProblem(
      "store_unavailable",
      "The state store cannot be reached; nothing was lost.",
      { remedy: "Repeat the request with the same Idempotency-Key." },
      { "retry-after": "2" },
    );
  }
  const code = "code" in error ? error.code : undefined;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new HttpProblem("body_too_large", `The body is over ${MAX_BODY} bytes.`, { remedy: "Send less." });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new HttpProblem("unsupported_media_type", "The body must be JSON.", {
      remedy: 'Send it with "Content-Type: application/json".',
    });
  if (code === "FST_ERR_BAD_URL")
    return new HttpProblem("invalid_request", "The address holds an escape that cannot be decoded.", {
      remedy: "Escape each part of the path with encodeURIComponent.",
    });
  if (code === "FST_ERR_CTP_EMPTY_JSON_BODY") return new HttpProblem("malformed_body", "The body is empty, JSON is needed.");
  const status = "statusCode" in error ? (error.statusCode ?? 500) : 500;
  if (status === 400)
    return new HttpProblem("malformed_body", "The body is not JSON that can be read.", { remedy: "Check it with a JSON validator." });
  const named = (Object.keys(problemCodes) as ProblemCode[]).find((name) => problemCodes[name] === status && status < 500);
  return named ? new HttpProblem(named, error.message) : new HttpProblem("internal", "The server could not do this; it is logged.");
}

function portRefusal(error: unknown, { name, host, port }: HttpServerOptions): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  const variable = `${name.toUpperCase().replaceAll("-", "_")}_PORT`;
  if (code === "EADDRINUSE")
    return new Refusal(
      `Port ${port} on ${host} is taken by another process, so ${name} cannot start: stop that process or choose another port with ${variable}.`,
    );
  if (code === "EACCES")
    return new Refusal(`Port ${port} on ${host} needs more rights than this process has: choose one above 1023 with ${variable}.`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new Refusal(`${host} is no address of this machine: set ${variable.replace("_PORT", "_HOST")} to one that is.`);
  return error;
}
