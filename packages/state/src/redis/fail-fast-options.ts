import type { RedisOptions } from "ioredis";
import type { RedisAddress } from "./redis-url.ts";

/** How long a command waits for its reply, in milliseconds, before it fails. */
export const COMMAND_TIMEOUT_MS = 2000;

const CONNECT_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 10_000;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2000;

/**
 * Returns options with which no caller waits for a server that is down, and the client never silently sends a command twice. The defaults of ioredis
 * 6.0.0 differ (measured). A command waits for ever if the network drops its packets, and more than six seconds for a server that is down. The client
 * sends a command again if its reply was lost.
 *
 * `blockMs` is how long a command may legitimately wait for an item.
 */
export function failFastOptions(
  { host, port, tls, username, password, database }: RedisAddress,
  random: () => number,
  blockMs = 0,
): RedisOptions & { readonly replyMapping: "legacy" } {
  return {
    host,
    port,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(tls ? { tls: {} } : {}),
    db: database,
    lazyConnect: true,
    connectionName: "toolbus",
    // These two options are explicit, because the form of the replies depends on them.
    protocol: 3,
    replyMapping: "legacy",
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS + blockMs,
    // This ends a half-open connection. Otherwise each later command would wait for its own time-out, until TCP gives up after a quarter of an hour.
    socketTimeout: COMMAND_TIMEOUT_MS + blockMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    noDelay: true,
    retryStrategy: (times) => reconnectDelay(times, random),
    // A primary that became a replica continues to answer. Only a new connection can lead to the new primary.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
}

/**
 * Returns how long to wait before the next attempt, in milliseconds. The client never gives up. The random part spreads the processes that lost one
 * server at the same moment.
 */
export function reconnectDelay(times: number, random: () => number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** Math.min(times - 1, 10), LONGEST_DELAY_MS);
  return Math.round(longest * (0.5 + random() / 2));
}
