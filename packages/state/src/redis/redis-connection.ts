import type { Cluster, Redis } from "ioredis";
import { StoreUnavailable } from "../state-store.ts";
import { gatheredCommands } from "./gathered-commands.ts";
import { storeErrorOf } from "./redis-errors.ts";
import type { RedisScript } from "./redis-scripts.ts";

export type Argument = string | number | Buffer;

/**
 * A connection to Redis, or to every node of a cluster. Each command is sent at once or fails at once, and ends within the time-out. It rejects with
 * `StoreUnavailable` for every problem between this process and the server, and with `StoreRefused` for problems that a person must fix. The
 * connection never sends a command again by itself. The commands of one turn of the event loop cost one round trip and are executed in order.
 */
export interface RedisConnection {
  command(name: string, args: readonly Argument[]): Promise<unknown>;
  /** Like `command`, for a reply of bytes. */
  commandForBytes(name: string, args: readonly Argument[]): Promise<unknown>;
  /** Executes a script. Sends its whole text if the server does not know it. */
  script(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  /** Resolves when the connection is ready or the signal aborts. */
  ready(signal: AbortSignal): Promise<void>;
  /** Waits for pending commands. Safe to use twice. */
  close(): Promise<void>;
  /** Closes at once. Pending commands fail. */
  abandon(): void;
}

/** Makes a connection from a client, which the caller must make with `failFastOptions`. `shown` names the server in messages. */
export function connectionOver(client: Redis | Cluster, shown: string): RedisConnection {
  const underWay = new Set<(error: Error) => void>();
  const idle = Promise.withResolvers<void>();
  const gather = gatheredCommands(client);
  let closed = false;
  let problem: Error | null = null;
  client.on("error", (error: Error) => (problem = error));
  client.on("ready", () => (problem = null));
  // ioredis 6.0.0 with `autoResendUnfulfilledCommands: false` leaves the promises of a lost connection pending until their time-out (issue 2193).
  client.on("close", failAll);

  return {
    command: (name, args) => send(() => client.call(name, [...args])),
    commandForBytes: (name, args) => send(() => client.callBuffer(name, [...args])),
    async script({ sha, text, readOnly }, keys, args) {
      const words = [sha, String(keys.length), ...keys, ...args];
      try {
        return await send(() => client.call(readOnly ? "evalsha_ro" : "evalsha", words));
      } catch (error) {
        if (!(error instanceof ScriptUnknown)) throw error;
        return send(() => client.call(readOnly ? "eval_ro" : "eval", words.with(0, text)));
      }
    },
    ready(signal) {
      if (client.status === "ready" || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const end = (): void => {
          client.off("ready", end);
          signal.removeEventListener("abort", end);
          resolve();
        };
        client.on("ready", end);
        signal.addEventListener("abort", end);
      });
    },
    async close() {
      closed = true;
      if (underWay.size > 0) await idle.promise;
      client.disconnect();
    },
    abandon() {
      closed = true;
      failAll();
      client.disconnect();
    },
  };

  function send(begin: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (closed) throw new StoreUnavailable("The state store is closed.");
      underWay.add(reject);
      gather();
      begin().then(
        (reply) => {
          done(reject);
          resolve(reply);
        },
        (error: unknown) => {
          done(reject);
          reject(meaningOf(error));
        },
      );
    });
  }

  function done(reject: (error: Error) => void): void {
    underWay.delete(reject);
    if (closed && underWay.size === 0) idle.resolve();
  }

  function failAll(): void {
    for (const reject of underWay) reject(new StoreUnavailable(`${shown} was lost before it answered.`));
    underWay.clear();
    if (closed) idle.resolve();
  }

  function meaningOf(error: unknown): Error {
    if (error instanceof Error && error.name === "ReplyError" && error.message.startsWith("NOSCRIPT")) return new ScriptUnknown();
    if (!problem || !isUnsent(error)) return storeErrorOf(error, shown);
    // Somebody may fix the problem that prevented the connection while the client retries.
    return new StoreUnavailable(storeErrorOf(problem, shown).message);
  }
}

class ScriptUnknown extends Error {}

/** Returns whether the client had no connection to send on. An event has already given the reason. */
function isUnsent(error: unknown): boolean {
  return error instanceof Error && /enableOfflineQueue|^Connection is closed/.test(error.message);
}
