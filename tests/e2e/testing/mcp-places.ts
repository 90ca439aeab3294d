import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

/** The files of the servers that the MCP project publishes on npm. */
export const NPM_SERVERS = {
  everything: fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js")),
  filesystem: fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js")),
  memory: fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js")),
  sequential: fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-sequential-thinking/dist/index.js")),
} as const;

/** A server of the MCP project that listens on a port. */
export interface RemoteServer {
  readonly url: string;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  /** Starts the server again on the same port. */
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts `server-everything` over HTTP. `streamableHttp` and `sse` are its own words for the two transports. */
export async function remoteEverything(transport: "streamableHttp" | "sse"): Promise<RemoteServer> {
  const port = await freePort();
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  };
  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [NPM_SERVERS.everything, transport], {
      env: { PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let said = "";
    started.stderr.on("data", (chunk: Buffer) => {
      said = (said + String(chunk)).slice(-2000);
      if (/(listening|running) on port/i.test(said)) resolve();
    });
    started.once("exit", () => reject(new Error(`server-everything ended before it listened: ${said}`)));
    await promise;
  };
  await start();
  return { url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`, kill, start, [Symbol.asyncDispose]: kill };
}

/** A named pipe. A program that reads it waits, so a test knows when a server is in the middle of a call. */
export function namedPipe(file: string) {
  execFileSync("mkfifo", [file]);
  return {
    file,
    /** Resolves when a program reads the pipe. The program then waits until `close` is called on the result, or it dies. */
    read: () => open(file, "w"),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
