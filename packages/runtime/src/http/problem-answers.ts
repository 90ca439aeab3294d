import { NO_ROUTE, type ProblemCode, problemCodes } from "@toolbus/contracts";
import { StoreRefused, StoreUnavailable } from "@toolbus/state";
import type { Log } from "@toolbus/telemetry";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Socket } from "node:net";
import { HttpProblem } from "./problem.ts";
import type { ProblemPage, RenderProblem } from "./route.ts";
import { SAFE_HEADERS } from "./safe-headers.ts";

/** The maximum size of a request's body, in bytes. */
export const MAX_BODY_BYTES = 256 * 1024;
/** The maximum size of all headers of a request together, in bytes. Node includes the address. */
export const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Turns every refusal of a server into a problem (RFC 9457) with these headers, or into a page if the route is for browsers. The server logs its own
 * faults and does not show them to the client.
 */
export function answerProblems(
  app: FastifyInstance,
  log: Log,
  headers: Readonly<Record<string, string>>,
  pageOf: (request: FastifyRequest) => RenderProblem | undefined,
): void {
  const always = Object.entries({ ...SAFE_HEADERS, ...headers });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    for (const [name, value] of always) if (!reply.hasHeader(name)) reply.header(name, value);
    done();
  });
  app.setNotFoundHandler((request, reply) => {
    sendProblem(
      reply,
      new HttpProblem("not_found", `${NO_ROUTE} ${request.method} ${request.url.split("?")[0]?.slice(0, 200) ?? ""}.`, {
        remedy: "GET /docs lists the routes.",
      }),
    );
  });
  app.setErrorHandler((error: FastifyError | HttpProblem, request, reply) => {
    const problem = asProblem(error, request.method);
    // The log also gets a refusal by the store. Such a refusal lasts until somebody fixes its cause, and only its own message names the cause.
    if (problem.code === "internal" || error instanceof StoreRefused)
      log.error({ error, method: request.method, route: request.routeOptions.url }, "a request failed");
    const render = pageOf(request);
    if (render) sendPage(reply, render(problem, request));
    else sendProblem(reply, problem);
  });
}

function sendPage(reply: FastifyReply, { status, headers, html }: ProblemPage): void {
  reply.code(status).headers(headers).type("text/html; charset=utf-8").send(html);
}

export function sendProblem(reply: FastifyReply, problem: HttpProblem): void {
  // For requests that Fastify itself refuses, no hook runs, so the safe headers are set here too.
  reply
    .code(problem.status)
    .headers({ ...SAFE_HEADERS, ...problem.headers })
    .type("application/problem+json")
    .send(JSON.stringify(problem.body()));
}

/** Answers bytes that are not an HTTP request, or a request that Node refuses. It writes to the socket, because no request object exists. */
export function answerBrokenRequest(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const problem = brokenRequest(error.code);
  const body = JSON.stringify(problem.body());
  const headers = {
    ...SAFE_HEADERS,
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${problem.body().title}\r\n${lines.join("")}\r\n${body}`);
}

function brokenRequest(code: string | undefined): HttpProblem {
  if (code === "HPE_HEADER_OVERFLOW")
    return new HttpProblem("headers_too_large", `The headers are over ${MAX_HEADER_BYTES} bytes together.`, { remedy: "Send fewer." });
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new HttpProblem("request_timeout", "The request did not arrive whole in time.", { remedy: "Send it again." });
  return new HttpProblem("invalid_request", "This is not a readable HTTP request.", { remedy: "Speak HTTP/1.1." });
}

/** Returns the problem for an error. `method` is that of the request, because only a POST has an `Idempotency-Key`. */
export function asProblem(error: FastifyError | HttpProblem | Error, method: string): HttpProblem {
  const again = method === "POST" ? "the request with the same Idempotency-Key" : "the request";
  if (error instanceof HttpProblem) return error;
  if (error instanceof StoreUnavailable) {
    return new HttpProblem(
      "store_unavailable",
      error.fault === undefined
        ? "The state store cannot be reached; nothing was lost."
        : `The state store accepts no changes now (${error.fault}); nothing was lost.`,
      { remedy: `Repeat ${again} in a few seconds. If it persists, have an operator look at the service's log.` },
      { "retry-after": "2" },
    );
  }
  if (error instanceof StoreRefused) {
    return new HttpProblem(
      "store_unavailable",
      "The state store refuses this service's request; the log has the reason, and nothing was lost.",
      { remedy: `Have an operator look at the service's log, then repeat ${again}.` },
      { "retry-after": "30" },
    );
  }
  const code = "code" in error ? error.code : undefined;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new HttpProblem("body_too_large", `The body is over ${MAX_BODY_BYTES} bytes.`, { remedy: "Send less." });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new HttpProblem("unsupported_media_type", "The body must be JSON.", {
      remedy: 'Send it with "Content-Type: application/json".',
    });
  if (code === "FST_ERR_BAD_URL")
    return new HttpProblem("invalid_request", "The address contains an escape that cannot be decoded.", {
      remedy: "Escape each part of the path with encodeURIComponent.",
    });
  const status = "statusCode" in error ? (error.statusCode ?? 500) : 500;
  if (status === 400)
    return new HttpProblem("malformed_body", "The body is not readable JSON.", { remedy: "Check it with a JSON validator." });
  const named = (Object.keys(problemCodes) as ProblemCode[]).find((name) => problemCodes[name] === status && status < 500);
  return named ? new HttpProblem(named, error.message) : new HttpProblem("internal", "The server could not do this; it is logged.");
}
