import type { RedisOptions } from "ioredis";
import type { RedisAddress } from "./redis-url.ts";

/** How long a command may take before it counts as unanswered. */
export const COMMAND_TIMEOUT_MS = 2000;

const CONNECT_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 10_000;
const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 2000;

/**
 * Options that keep a caller from waiting for a server that is gone, and a command from being executed twice unnoticed. Measured with ioredis 6.0.0: by
 * default a command waits for ever behind a black hole, more than six seconds for a server that is down, and one whose reply was lost is sent again.
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
    // Both are pinned, because replies change their shape with them.
    protocol: 3,
    replyMapping: "legacy",
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: COMMAND_TIMEOUT_MS + blockMs,
    // For a half-open connection: otherwise the next commands would also wait for their time-outs, until TCP gives up a quarter of an hour
    // later.
    socketTimeout: COMMAND_TIMEOUT_MS + blockMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    noDelay: true,
    retryStrategy: (times) => reconnectDelay(times, random),
    // A primary that became a replica continues to answer: only a new connection can lead to the new primary.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
}

/** Never gives up; spreads the processes that lost one server at the same moment. */
export function reconnectDelay(times: number, random: () => number): number {
  const longest = Math.min(FIRST_DELAY_MS * 2 ** Math.min(times - 1, 10), LONGEST_DELAY_MS);
  return Math.round(longest * (0.5 + random() / 2));
}
