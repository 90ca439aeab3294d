import type { Role } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import Fastify, { type FastifyInstance, type FastifyRequest, type HTTPMethods } from "fastify";
import { Refusal } from "../refusal.ts";
import type { ApiKeys, Principal } from "./api-keys.ts";
import { boundedServer, CONNECTION_BOUNDS, type ConnectionBounds } from "./connection-bounds.ts";
import { keepBodyText } from "./body-text.ts";
import { allowOrigins, readOrigins } from "./cross-origin.ts";
import { docsRoutes } from "./docs-routes.ts";
import { withSignedForms } from "./form-bodies.ts";
import { type FailedLogins, failedLogins } from "./failed-logins.ts";
import type { HttpConfig } from "./http-settings.ts";
import { sayGoodbye, wantsEvents } from "./late-stream.ts";
import type { ApiAbout } from "./openapi.ts";
import { openRequests } from "./open-requests.ts";
import { pageFinder, withForms } from "./page-routes.ts";
import { HttpProblem } from "./problem.ts";
import { answerBrokenRequest, answerProblems, asProblem, MAX_BODY_BYTES, MAX_HEADER_BYTES, sendProblem } from "./problem-answers.ts";
import { type RequestSpans, requestSpans } from "./request-spans.ts";
import type { Route } from "./route.ts";
import { checkRoutes } from "./route-check.ts";
import { ONLY_TLS } from "./safe-headers.ts";
import { strictBody } from "./strict-body.ts";

export interface HttpServer {
  /** The address with the actual port. */
  readonly url: string;
  /** Every route that the server has, including those of its description. */
  readonly routes: readonly Route[];
  /** Refuses new requests, waits at most 5 s for pending ones, then closes. A second call is safe. */
  stop(): Promise<void>;
}

export interface HttpServerOptions {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly keys: ApiKeys;
  readonly routes: readonly Route[];
  /** The title and the texts of the API's description. */
  readonly api: ApiAbout;
  readonly config: HttpConfig;
  /** Returns the milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly log: Log;
  /** The limits of one connection, by default `CONNECTION_BOUNDS`. */
  readonly bounds?: ConnectionBounds;
  /** Called at the start of a stop, before the server closes connections. The service ends its streams here. */
  readonly onStopping?: () => Promise<void>;
}

const FINISH_MS = 5000;
const MAX_ADDRESS = 4096;
const METHODS: readonly HTTPMethods[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const NOBODY: Principal = { id: "", tenant: "", roles: [], scopes: [], keyId: "" };

/**
 * Starts an HTTP server. Every refusal is `application/problem+json`. Every route declares who may call it and what it answers, and the server
 * describes itself at `/openapi.json` and `/docs`. Throws a `Refusal` for a route that declares too little, and if the port is unavailable.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  checkRoutes(options.routes);
  const origins = readOrigins("CORS_ORIGINS", options.config.CORS_ORIGINS);
  const documented = options.routes.filter(({ page }) => page === undefined);
  const routes = [...options.routes, ...docsRoutes(options.api, documented)];
  const bounds = options.bounds ?? CONNECTION_BOUNDS;
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    serverFactory: (handler) => boundedServer(handler, bounds, MAX_HEADER_BYTES),
    forceCloseConnections: true,
    routerOptions: { maxParamLength: MAX_ADDRESS },
    // These handlers answer requests that Fastify and Node refuse before a route is found.
    frameworkErrors: (error, request, reply) => sendProblem(reply, asProblem(error, request.method)),
    clientErrorHandler: answerBrokenRequest,
  });
  readJsonOnly(app);
  let stopped: Promise<void> | null = null;
  const spans = requestSpans(app, { service: options.name, host: options.host });
  const open = openRequests(app);
  answerProblems(app, options.log, options.config.HTTPS_ONLY === "true" ? ONLY_TLS : {}, pageFinder(routes));
  await allowOrigins(app, origins);
  const lasting = new Set(routes.filter(({ whileStopping }) => whileStopping).map(({ url }) => url));
  // A hook with a callback costs less than one with a promise, and these hooks run for every request.
  app.addHook("onRequest", (request, reply, done) => {
    if (request.url.length > MAX_ADDRESS)
      return done(new HttpProblem("address_too_long", `The address is over ${MAX_ADDRESS} characters.`, { remedy: "Send less in it." }));
    if (!stopped || lasting.has(request.routeOptions.url ?? "")) return done();
    if (request.method === "GET" && wantsEvents(request)) return sayGoodbye(reply);
    done(
      new HttpProblem(
        "shutting_down",
        "The server is stopping.",
        { remedy: "Repeat the request in a moment." },
        { "retry-after": "2", connection: "close" },
      ),
    );
  });
  const door: Door = { keys: options.keys, spans, failed: failedLogins(options.config.AUTH_FAILURES_PER_MINUTE, options.monotonic) };
  for (const route of routes) if (route.page === undefined && !route.form) add(app, route, door);
  await withForms(app, routes, (scope, route) => add(scope, route, door));
  await withSignedForms(app, routes, (scope, route) => add(scope, route, door));
  refuseOtherMethods(app, routes);
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
    routes,
    stop: () => (stopped ??= stop()),
  };

  async function stop(): Promise<void> {
    await options.onStopping?.();
    await open.ended(FINISH_MS);
    await app.close();
  }
}

/** Accepts only JSON bodies, although Fastify also reads text. The server treats an empty body as missing. */
function readJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request: FastifyRequest, body: string, done) => {
    keepBodyText(request, body);
    let value;
    try {
      value = body === "" ? undefined : strictBody(body);
    } catch (error) {
      return done(error as Error);
    }
    done(null, value);
  });
}

/** The checks and spans between a request and its handler. */
interface Door {
  readonly keys: ApiKeys;
  readonly spans: RequestSpans;
  readonly failed: FailedLogins;
}

function add(app: FastifyInstance, { method, url, access, credential, page, handle }: Route, door: Door): void {
  const callers = new WeakMap<FastifyRequest, Principal>();
  app.route({
    method,
    url,
    // Without this setting, a HEAD request would run the GET handler, although nobody reads the answer.
    exposeHeadRoute: false,
    // This check runs before the body is read. So the server does not parse the body of a stranger, and does not tell a stranger about faults in the
    // body.
    onRequest: (request, _reply, done) => {
      if (access === "public") return done();
      const authorization = page === undefined ? request.headers.authorization : undefined;
      const admit = (principal: Principal | null): void => {
        if (!principal) return done(stranger(authorization === undefined ? null : door.failed.note(request.ip)));
        const refused = withoutRole(principal, access);
        if (!refused) callers.set(request, principal);
        done(refused);
      };
      if (authorization === undefined && credential) void credential(request, door.keys).then(admit, done);
      else admit(door.keys.find(authorization));
    },
    handler: async (request, reply) => door.spans.run(request, () => handle(request, reply, callers.get(request) ?? NOBODY)),
  });
}

function stranger(waitMs: number | null): HttpProblem {
  if (waitMs !== null) {
    const seconds = String(Math.max(1, Math.ceil(waitMs / 1000)));
    return new HttpProblem(
      "rate_limited",
      "Too many wrong keys came from this address.",
      { remedy: `Try again with a valid key, in ${seconds} s.` },
      { "retry-after": seconds },
    );
  }
  return new HttpProblem(
    "unauthenticated",
    "This route needs an API key of this service.",
    { remedy: 'Send it as "Authorization: Bearer <key>"; "toolbus keys" says where those of a Toolbus on this machine are.' },
    { "www-authenticate": "Bearer" },
  );
}

function withoutRole(principal: Principal, roles: readonly Role[]): HttpProblem | undefined {
  if (principal.roles.some((role) => roles.includes(role))) return undefined;
  return new HttpProblem("forbidden", `This route is for the role ${roles.join(" or ")}; this key has ${principal.roles.join(", ")}.`, {
    remedy: "Use a key with that role.",
  });
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
      // This check runs before the body is read, because the wrong method is the fault, whatever the body is.
      onRequest: async () => {
        throw new HttpProblem("method_not_allowed", `This route accepts only ${allow}.`, {}, { allow });
      },
      handler: async () => undefined,
    });
  }
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
    return new Refusal(`${host} is not an address of this machine: set ${variable.replace("_PORT", "_HOST")} to one that is.`);
  return error;
}
