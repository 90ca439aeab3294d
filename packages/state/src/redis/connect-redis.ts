import { Cluster, Redis } from "ioredis";
import { StoreRefused, StoreUnavailable } from "../state-store.ts";
import { failFastOptions, reconnectDelay } from "./fail-fast-options.ts";
import { judgeServer } from "./judge-server.ts";
import { connectionOver, type RedisConnection } from "./redis-connection.ts";
import { refusalOf, storeErrorOf } from "./redis-errors.ts";
import { redisKeys } from "./redis-keys.ts";
import type { RedisAddress } from "./redis-url.ts";
import { type ServerFacts, serverFacts } from "./server-facts.ts";

export interface ConnectRedisOptions {
  readonly address: RedisAddress;
  readonly durability: "required" | "relaxed";
  /** How long to retry an unavailable server at the start, in milliseconds. */
  readonly connectForMs: number;
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  readonly warn: (sentence: string) => void;
  readonly signal: AbortSignal | undefined;
}

/** A connection to a server that can be used for the state store. */
export interface ConnectedRedis {
  readonly connection: RedisConnection;
  /** Whether the keys of two shards must not be in one command. */
  readonly clustered: boolean;
  /** Makes another connection to the same server, for commands that wait up to `blockMs` for an item. It connects in the background. */
  another(blockMs: number): RedisConnection;
  /** Registers a listener that is invoked whenever a lost connection is restored. */
  onReconnect(listener: () => void): void;
}

/**
 * Connects, and checks that the server keeps the writes that it acknowledges. Retries an unavailable server for a while. Throws `StoreRefused` at
 * once for problems that waiting does not fix: a refused login, a missing database, a replica, a server that is too old or may lose writes. Throws
 * `StoreUnavailable` if the server is still unavailable after `connectForMs`.
 */
export async function connectRedis(options: ConnectRedisOptions): Promise<ConnectedRedis> {
  const { address, random } = options;
  const deadline = deadlineOf(options);
  const single = new Redis(failFastOptions(address, random));
  const connection = connectionOver(single, address.shown);
  try {
    await readyWithin(single, deadline, options);
    // ioredis continues with database 0 if the requested one does not exist.
    if (address.database > 0) await connection.command("select", [address.database]);
    const facts = await serverFacts(connection, keyIn(address));
    if (facts.isClustered) {
      connection.abandon();
      return await connectCluster(options, deadline);
    }
    judge([facts], options);
    return {
      connection,
      clustered: false,
      another: (blockMs) => eager(new Redis(failFastOptions(address, random, blockMs)), address),
      onReconnect: (listener) => void single.on("ready", listener),
    };
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

async function connectCluster(options: ConnectRedisOptions, deadline: AbortSignal): Promise<ConnectedRedis> {
  const { address, random } = options;
  if (address.replicas > 0) {
    throw new StoreRefused(`${address.shown} belongs to a cluster, where replicas= is not known: set min-replicas-to-write on its nodes.`);
  }
  const cluster = clusterClient(address, random, 0);
  const connection = connectionOver(cluster, address.shown);
  try {
    await readyWithin(cluster, deadline, options);
    const nodes = cluster.nodes("master");
    const facts = nodes.map((node) => serverFacts({ command: (name, args) => node.call(name, [...args]) }, keyIn(address)));
    judge(await Promise.all(facts), options);
    return {
      connection,
      clustered: true,
      another: (blockMs) => eager(clusterClient(address, random, blockMs), address),
      onReconnect: (listener) => void cluster.on("ready", listener).on("+node", listener),
    };
  } catch (error) {
    connection.abandon();
    throw error;
  }
}

function clusterClient(address: RedisAddress, random: () => number, blockMs: number): Cluster {
  const { host: _host, port: _port, retryStrategy: _, enableOfflineQueue: __, ...redisOptions } = failFastOptions(address, random, blockMs);
  return new Cluster([{ host: address.host, port: address.port }], {
    lazyConnect: true,
    enableOfflineQueue: false,
    // A command is sent again only if a node has answered that it did not execute the command.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: (times) => reconnectDelay(times, random),
    redisOptions,
  });
}

function eager(client: Redis | Cluster, { shown }: RedisAddress): RedisConnection {
  const connection = connectionOver(client, shown);
  // The client's events report this failure, and so does every command.
  client.connect().catch(() => undefined);
  return connection;
}

function deadlineOf({ connectForMs, signal }: ConnectRedisOptions): AbortSignal {
  const timeout = AbortSignal.timeout(connectForMs);
  return signal ? AbortSignal.any([timeout, signal]) : timeout;
}

/** Waits for the client's first connection. */
async function readyWithin(client: Redis | Cluster, deadline: AbortSignal, options: ConnectRedisOptions): Promise<void> {
  const { address, connectForMs, signal, warn } = options;
  const { shown } = address;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let problem: Error | null = null;
  const onError = (error: Error): void => {
    problem = causeOf(error);
    const refusal = refusalOf(problem, shown);
    if (refusal) reject(refusal);
  };
  const onDeadline = (): void => {
    if (signal?.aborted) return reject(new StoreUnavailable(`Connecting to ${shown} was given up.`));
    const reason = problem ? storeErrorOf(problem, shown).message : `${shown} did not answer in time.`;
    reject(new StoreUnavailable(`${reason} It was retried for ${connectForMs / 1000} s: start it, or correct the URL of the state store.`));
  };
  const why = (): string => (problem ? storeErrorOf(problem, shown).message : `${shown} has not answered yet.`);
  const patience = setTimeout(() => warn(`${why()} It is retried for up to ${connectForMs / 1000} s.`), PATIENCE_MS);
  client.on("error", onError).on("ready", resolve);
  deadline.addEventListener("abort", onDeadline);
  try {
    if (deadline.aborted) onDeadline();
    // An "error" event reports why the connection failed, and the client retries by itself.
    else client.connect().catch((error: Error) => (problem ??= error));
    await promise;
  } finally {
    clearTimeout(patience);
    client.off("error", onError).off("ready", resolve);
    deadline.removeEventListener("abort", onDeadline);
  }
}

/** A server that starts at the same time as this process may need a moment. After this time, a warning says what the process waits for. */
const PATIENCE_MS = 2000;

/** Returns the failure of the last node. If all nodes fail, the cluster client's own error does not say why. */
function causeOf(error: Error): Error {
  return "lastNodeError" in error && error.lastNodeError instanceof Error ? error.lastNodeError : error;
}

/** Returns a key that commits write. Any such key will do. */
function keyIn({ namespace }: RedisAddress): string {
  return redisKeys(namespace).commits("00");
}

function judge(servers: readonly ServerFacts[], { address, durability, warn }: ConnectRedisOptions): void {
  const verdicts = servers.map((facts) => judgeServer(facts, address.shown, durability));
  const refusal = verdicts.find((verdict) => verdict.refusal !== null)?.refusal;
  if (refusal) throw new StoreRefused(refusal);
  for (const warning of new Set(verdicts.flatMap(({ warnings }) => warnings))) warn(warning);
}
