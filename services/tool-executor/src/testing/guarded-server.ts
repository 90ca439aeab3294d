import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createSocketServer } from "node:net";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const EVERYTHING = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

/** server-everything of the MCP project, as a process of its own that serves any number of sessions. */
export interface EverythingServer {
  readonly transport: "streamableHttp" | "sse";
  readonly port: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts server-everything. Its start takes most of a second, so the tests of a file share it. */
export async function startEverything(transport: EverythingServer["transport"]): Promise<EverythingServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, transport], {
    env: { PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await listening(child.stderr);
  return {
    transport,
    port,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

export interface GuardedServerOptions {
  readonly inner: EverythingServer;
  readonly accepts: (token: string) => Promise<boolean>;
  /** The authorization server that the server names in its description (RFC 9728). Without it, the server has no description. */
  readonly issuer?: string;
}

/** server-everything behind a door of its own that lets only requests with a good token in. */
export interface GuardedServer {
  readonly url: string;
  /** The token of each request that was let in. */
  readonly tokens: readonly string[];
  readonly refused: () => number;
  /** Refuses the tokens that were used so far from now on. */
  forget(): void;
  /** Refuses the next request when another one has come with an old token, and this other one only after a request was let in. */
  refuseNextTwoInTurn(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startGuardedServer({ inner, accepts, issuer }: GuardedServerOptions): Promise<GuardedServer> {
  const tokens: string[] = [];
  const forgotten = new Set<string>();
  let refused = 0;
  let held: { readonly at: number; readonly both: PromiseWithResolvers<void>; readonly letIn: PromiseWithResolvers<void> } | null = null;
  const door = createServer((incoming, reply) => void answer(incoming, reply));
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const origin = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const path = inner.transport === "sse" ? "/sse" : "/mcp";
  const description = `${origin}/about/this-resource`;
  return {
    url: `${origin}${path}`,
    tokens,
    refused: () => refused,
    forget: () => tokens.forEach((token) => forgotten.add(token)),
    refuseNextTwoInTurn: () => void (held = { at: refused + 2, both: Promise.withResolvers(), letIn: Promise.withResolvers() }),
    [Symbol.asyncDispose]: () => closed(door),
  };

  async function answer(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    if (incoming.url === "/about/this-resource" && issuer !== undefined)
      return void reply
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ resource: `${origin}${path}`, authorization_servers: [issuer] }));
    if (incoming.url?.startsWith("/.well-known/")) return void reply.writeHead(404).end();
    const token = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? "")?.[1] ?? "";
    if (forgotten.has(token) || !(await accepts(token))) {
      refused++;
      const turn = held === null ? 0 : refused - held.at;
      if (turn === 0) held?.both.resolve();
      await (turn === -1 ? held?.both.promise : turn === 0 ? held?.letIn.promise : undefined);
      return void reply.writeHead(401, { "www-authenticate": `Bearer resource_metadata="${description}", scope="tools"` }).end();
    }
    tokens.push(token);
    held?.letIn.resolve();
    const { method = "GET", url: target = "/", headers } = incoming;
    const passed = request({ host: "127.0.0.1", port: inner.port, method, path: target, headers }, (said) => {
      reply.writeHead(said.statusCode ?? 502, said.headers);
      reply.flushHeaders();
      said.pipe(reply);
    });
    passed.on("error", () => reply.destroy());
    reply.on("close", () => passed.destroy());
    incoming.pipe(passed);
  }
}

/** Waits until the server says its port. The first line of its SSE form comes before it listens. */
function listening(stderr: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = "";
  stderr.on("data", (chunk: Buffer) => (said += chunk.toString()).includes("on port") && resolve());
  stderr.once("end", () => reject(new Error(`server-everything ended: ${said}`)));
  return promise;
}

async function closed(door: Server): Promise<void> {
  door.closeAllConnections();
  door.close();
  await once(door, "close");
}

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
