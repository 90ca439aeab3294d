import { setTimeout as delay } from "node:timers/promises";
import type { CallToolResult, Tool as McpTool, Transport } from "@modelcontextprotocol/client";
import type { Log } from "@toolbus/telemetry";
import type { ServerConfig } from "./mcp-config.ts";
import { type McpSession, openSession } from "./mcp-session.ts";
import type { SessionCall } from "./session-call.ts";
import type { Turns } from "./turns.ts";

/** The error for a server that is unavailable now. The message names the server and says why it is unavailable. Nothing was sent. */
export class ServerDown extends Error {
  override readonly name = "ServerDown";
}

/** The error for a connection that ended during a call. Nobody knows how much of the call the server executed. */
export class ServerLost extends Error {
  override readonly name = "ServerLost";
}

/** A configured server while the bridge runs, whether it is connected or not. */
export interface McpServer {
  readonly config: ServerConfig;
  /** Returns the server's last list of tools, even while the server is down. Returns null before the first list. */
  catalogue(): readonly McpTool[] | null;
  /** Returns a sentence that names the server and says why it cannot be used now, or null if it can. */
  unavailable(): string | null;
  /** Calls a tool. Rejects at once with `ServerDown` if the server is not connected, and with `ServerLost` if the connection ends during the call. */
  call(call: SessionCall): Promise<CallToolResult>;
  /** Resolves when the first attempt has succeeded or failed. */
  readonly tried: Promise<void>;
  /** Ends the connection and the server's processes. */
  stop(): Promise<void>;
}

/** One attempt at a connection. */
export interface Connection {
  readonly transport: Transport;
  readonly problem: () => string | null;
  readonly lastWords: () => string;
  /** Returns a text for use in brackets that says what to check if the attempt fails. It is empty if there is nothing to check. */
  readonly hint: () => string;
}

export interface McpServerOptions {
  readonly config: ServerConfig;
  /**
   * Creates the connection of one attempt. `problem` returns the reason why the connection ended, if the transport knows it. `lastWords` returns the
   * server's last output. Throws an Error whose message completes a sentence about the server.
   */
  readonly connect: () => Promise<Connection>;
  readonly log: Log;
  readonly monotonic: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** Called when the server has listed its tools, is available again, or is unavailable. */
  readonly onChanged: () => void;
  /** Taken for each attempt until the server has listed its tools. The default starts at once. */
  readonly turns?: Turns;
  /** The time limit of the handshake and of a list of tools, in milliseconds. The default is 30 s. */
  readonly stepMs?: number;
}

const atOnce: Turns = async () => () => undefined;
/** The shortest wait, in milliseconds. Each failed attempt doubles the wait, up to the longest. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 60_000;
/** After a connection that served calls for this time, the next wait is the shortest wait again. */
const HELD_MS = 30_000;

/**
 * Maintains one connection to a server, which all calls share. A failed connection is retried after a wait that doubles up to a minute. Only a
 * connection that lasted for half a minute resets the wait.
 */
export function mcpServer({
  config,
  connect,
  log,
  monotonic,
  random,
  onChanged,
  turns = atOnce,
  stepMs = 30_000,
}: McpServerOptions): McpServer {
  const name = `The MCP server "${config.name}"`;
  const stopping = new AbortController();
  const first = Promise.withResolvers<void>();
  let session: McpSession | null = null;
  let tools: readonly McpTool[] | null = null;
  let why = "it is being connected";
  let lost = new AbortController();
  let legacy = false;
  let relisting: Relisting = "no";
  /** The time since which calls can be made, or null before. A handshake that hangs is not a connection that held. */
  let servedFrom: number | null = null;
  const running = run();
  return {
    config,
    catalogue: () => tools,
    unavailable: () => (session ? null : `${name} is not available: ${why}.`),
    async call(call) {
      const current = session;
      if (!current) throw new ServerDown(`${name} is not available: ${why}.`);
      const gone = lost.signal;
      try {
        return await current.callTool({ ...call, signal: AbortSignal.any([call.signal, gone]) });
      } catch (error) {
        if (gone.aborted) throw new ServerLost(`${name} ended during the call.`, { cause: error });
        if (isBroken(error)) void current.close();
        throw error;
      }
    },
    tried: first.promise,
    async stop() {
      stopping.abort(new Error("The bridge stops."));
      await session?.close();
      await running;
    },
  };

  async function run(): Promise<void> {
    let waitMs = FIRST_WAIT_MS;
    while (!stopping.signal.aborted) {
      servedFrom = null;
      await connectOnce().catch((error: unknown) => {
        if (!stopping.signal.aborted) goDown(error instanceof Error ? error.message : String(error));
      });
      first.resolve();
      if (stopping.signal.aborted) break;
      waitMs = nextWaitMs(waitMs, servedFrom === null ? 0 : monotonic() - servedFrom);
      const spread = Math.floor(waitMs * 0.2 * ((random(1)[0] ?? 0) / 256));
      await delay(waitMs + spread, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
    first.resolve();
  }

  /** Makes one attempt at a connection. Rejects when the connection has failed or ended. */
  async function connectOnce(): Promise<void> {
    const endTurn = await turns(stopping.signal);
    const { transport, problem, lastWords, hint } = await connect().catch((error: unknown) => {
      endTurn();
      throw error;
    });
    const closed = Promise.withResolvers<void>();
    // The loss is an abort signal and not a promise, because a rejection that nobody waits for would be unhandled.
    lost = new AbortController();
    const current = lost;
    let opened: McpSession | null = null;
    try {
      opened = await openSession({
        transport,
        legacy,
        stepMs,
        signal: stopping.signal,
        onClosed() {
          // From here on, new calls are refused before anything is sent, so they are not lost.
          if (opened !== null && session === opened) session = null;
          why = "its connection ended";
          current.abort(new Error("The connection has ended."));
          closed.resolve();
        },
        onToolsChanged: () => {
          if (opened && session === opened) void relist(opened);
        },
        onError: ({ message }) => log.debug({ server: config.name, problem: message.slice(0, 300) }, "an MCP server's connection says"),
      });
      tools = await opened.listTools(AbortSignal.any([stopping.signal, current.signal]));
      endTurn();
      session = opened;
      servedFrom = monotonic();
      log.info({ server: config.name, tools: tools.length, protocol: opened.protocolVersion }, "an MCP server is connected");
      first.resolve();
      onChanged();
      await closed.promise;
      throw new Error("its connection ended");
    } catch (error) {
      await opened?.close();
      // Some servers exit when they are asked for the newer protocol.
      if (!opened) legacy = !legacy;
      throw new Error(endedBecause(error, problem(), lastWords() === "" ? hint() : `it said: ${lastWords()}`), { cause: error });
    } finally {
      endTurn();
      session = null;
    }
  }

  /** Lists the tools again after the server reported a change. Only one list is in progress at a time, even if a server reports changes endlessly. */
  async function relist(current: McpSession): Promise<void> {
    if (relisting !== "no") {
      relisting = "again";
      return;
    }
    relisting = "yes";
    try {
      tools = await current.listTools(stopping.signal);
      onChanged();
    } catch (error) {
      log.warn({ server: config.name, error }, "an MCP server said that its tools changed, and could not list them");
    }
    const again = (relisting as Relisting) === "again";
    relisting = "no";
    if (again && session === current) await relist(current);
  }

  function goDown(reason: string): void {
    why = reason.replace(/\.+$/, "");
    log.warn({ server: config.name }, `${name} is not available: ${why}. It is retried; its tools are kept in the meantime.`);
    onChanged();
  }
}

/** The state of a list of tools. "again" means that the tools changed once more while they were listed. */
type Relisting = "no" | "yes" | "again";

/** Returns why a connection ended, in words: the reason that the transport knows, or the innermost error, with a text in brackets. */
export function endedBecause(error: unknown, problem: string | null, beside: string): string {
  const first = problem ?? innermost(error);
  const reason = first.replace(/[\u0000-\u001f]+/g, " ").slice(0, 300);
  return beside === "" ? reason : `${reason.replace(/\.+$/, "")} (${beside})`;
}

/** Returns the message of the network error inside the outer errors, such as `connect ECONNREFUSED 127.0.0.1:1`. */
function innermost(error: unknown): string {
  let said = error;
  for (let depth = 0; depth < 5; depth++) {
    const inner = said instanceof Error ? (said.cause ?? dataCause(said)) : undefined;
    if (!(inner instanceof Error) || inner.message === "") break;
    said = inner;
  }
  return said instanceof Error ? said.message : String(said);
}

/** Returns the error that an error of the SDK wraps in its `data`. */
function dataCause(error: Error): unknown {
  const data = "data" in error ? error.data : undefined;
  return typeof data === "object" && data !== null && "cause" in data ? data.cause : undefined;
}

/** Returns whether the connection itself failed, so that the next call needs another connection. */
function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof TypeError || error.name === "SdkHttpError" || ("code" in error && BROKEN.has(String(error.code)));
}

const BROKEN: ReadonlySet<string> = new Set(["NOT_CONNECTED", "CONNECTION_CLOSED", "SEND_FAILED"]);

/** Returns the wait before the next attempt, in milliseconds. `heldMs` is the time for which the last connection served calls. */
export function nextWaitMs(before: number, heldMs: number): number {
  return heldMs >= HELD_MS ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, before * 2);
}
