import { setTimeout as delay } from "node:timers/promises";
import { namesCollide } from "@toolbus/contracts";
import type { Log } from "@toolbus/telemetry";
import type { McpBridge } from "../mcp-bridge.ts";
import type { ServerConfig } from "../mcp-config.ts";
import type { RegisteredServer, RegisteredServers } from "./registered-servers.ts";

/** A bridge that serves what calls registered. */
export interface Following {
  /** Makes the bridge's servers those that are registered now. Rejects if the store does not answer. */
  refresh(): Promise<void>;
  /** Returns whether a call registered the server with this name, and not the operator's file. */
  isRegistered(name: string): boolean;
  stop(): Promise<void>;
}

export interface FollowingOptions {
  readonly bridge: Pick<McpBridge, "add" | "remove" | "server">;
  readonly registered: Pick<RegisteredServers, "read">;
  readonly configOf: (server: RegisteredServer) => ServerConfig;
  readonly log: Log;
  /** The time between two looks at the store, in milliseconds. Another replica may have changed the servers just before it lost the lease. */
  readonly everyMs: number;
}

/** Starts the servers that are registered in the store, and ends those that no longer are, now and whenever the store has changed. */
export function followRegistered({ bridge, registered, configOf, log, everyMs }: FollowingOptions): Following {
  /** The servers that this bridge runs because they are registered, by name. */
  const running = new Map<string, RegisteredServer>();
  const reported = new Set<string>();
  const stopping = new AbortController();
  let last: Promise<void> = Promise.resolve();
  const polling = poll();
  return {
    refresh,
    isRegistered: (name) => [...running.keys()].some((one) => namesCollide(one, name)),
    async stop() {
      stopping.abort();
      await polling;
      await last.catch(() => undefined);
    },
  };

  /** One change follows another, because two at once could start a server twice. */
  function refresh(): Promise<void> {
    const next = last.catch(() => undefined).then(applyAll);
    last = next;
    return next;
  }

  async function applyAll(): Promise<void> {
    if (stopping.signal.aborted) return;
    const wanted = await registered.read();
    // Nobody acts on a document that is not valid. What runs was valid when it was started.
    if (wanted === null) return;
    for (const [name, server] of running) {
      if (wanted.some((one) => one.name === name && one.callId === server.callId)) continue;
      running.delete(name);
      await bridge.remove(name);
      log.info({ server: name }, "an MCP server is no longer registered and was ended");
    }
    for (const server of wanted) {
      if (running.has(server.name)) continue;
      if (bridge.server(server.name)) {
        once(
          server.name,
          `The registered MCP server "${server.name}" has the name of one in the operator's file. Only the one in the file is started.`,
        );
        continue;
      }
      running.set(server.name, server);
      bridge.add(configOf(server));
      log.info({ server: server.name }, "a registered MCP server is being started");
    }
  }

  async function poll(): Promise<void> {
    while (!stopping.signal.aborted) {
      await delay(everyMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await refresh().catch((error: unknown) => log.warn({ error }, "the registered MCP servers could not be read; it is retried"));
    }
  }

  function once(key: string, sentence: string): void {
    if (reported.has(key)) return;
    reported.add(key);
    log.error({}, sentence);
  }
}
