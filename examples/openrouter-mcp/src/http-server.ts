import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { OpenRouter } from "./open-router.ts";
import { isLoopback, type Listening } from "./settings.ts";
import { openRouterServer } from "./tools.ts";

export interface HttpServer {
  readonly url: string;
  /** Ends all connections and stops listening. */
  stop(): Promise<void>;
}

/**
 * Serves Streamable HTTP at `/mcp`, in both versions of the protocol. If there is a token, every request must have it. On loopback, a page in a
 * browser cannot use the server, because it checks the headers `Host` and `Origin`.
 */
export async function startHttp(api: OpenRouter, { host, port, token }: Exclude<Listening, "stdio">): Promise<HttpServer> {
  const handler = createMcpHandler(() => openRouterServer(api));
  const serve = toNodeHandler(handler);
  const guards = isLoopback(host) ? [localhostHostValidation(), localhostOriginValidation()] : [];
  const server = createServer((request, response) => {
    // A guard has answered if it returns false.
    if (!guards.every((guard) => guard(request, response))) return;
    if (new URL(request.url ?? "/", "http://server").pathname !== "/mcp") return void response.writeHead(404).end();
    if (token !== undefined && !hasToken(request, token)) return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
    // The types of Node allow a request without a method, which a server never receives.
    serve(request as Parameters<typeof serve>[0], response).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}/mcp`,
    async stop() {
      await handler.close();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function hasToken({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`));
}
