import { StoreRefused } from "../state-store.ts";

/** The parts of a URL `redis://[user[:password]@]host[:port][/database][?option=value]`, or `rediss:` for TLS. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string | null;
  /** The password is never shown in messages. */
  readonly password: string | null;
  readonly database: number;
  /** `namespace=NAME` puts `NAME:` before every key, for several deployments on one server. */
  readonly namespace: string | null;
  /** `durability=relaxed` allows a server that may lose acknowledged writes. */
  readonly durability: "required" | "relaxed" | null;
  /** `replicas=N`: the store answers a commit when this many replicas have it. */
  readonly replicas: number;
  /** The name of the server in messages. It contains no secret. */
  readonly shown: string;
}

const OPTIONS = ["namespace", "durability", "replicas"] as const;
const DEFAULT_PORT = 6379;

/** Parses the URL of a store. Throws `StoreRefused` for any other URL. Its message repeats neither the user nor the password. */
export function parseRedisUrl(url: string): RedisAddress {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || parsed.hostname === "" || parsed.hash !== "") {
    throw new StoreRefused("The URL of the Redis state store is not a URL: write redis://USER:PASSWORD@HOST:PORT/DATABASE.");
  }
  for (const name of parsed.searchParams.keys()) {
    if (OPTIONS.some((known) => known === name)) continue;
    throw new StoreRefused(`The Redis state store does not know the option "${name.slice(0, 40)}": use ${OPTIONS.join(", ")}.`);
  }
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = parsed.port === "" ? DEFAULT_PORT : Number(parsed.port);
  const tls = parsed.protocol === "rediss:";
  const options = parsed.searchParams;
  return {
    host,
    port,
    tls,
    username: decoded(parsed.username),
    password: decoded(parsed.password),
    database: databaseOf(parsed.pathname),
    namespace: namespaceOf(options.get("namespace")),
    durability: durabilityOf(options.get("durability")),
    replicas: replicasOf(options.get("replicas")),
    shown: `Redis at ${parsed.hostname}:${port}${tls ? " (TLS)" : ""}`,
  };
}

function decoded(text: string): string | null {
  if (text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StoreRefused("User or password in the URL of the Redis state store has a % that does not begin an escape: write %25 for it.");
  }
}

function databaseOf(path: string): number {
  if (path === "" || path === "/") return 0;
  const database = /^\/(\d{1,6})$/.exec(path)?.[1];
  if (database === undefined) {
    throw new StoreRefused("The path in the URL of the Redis state store is not a number: it names the database, such as /0.");
  }
  return Number(database);
}

function namespaceOf(name: string | null): string | null {
  if (name === null || /^[\w.-]{1,64}$/.test(name)) return name;
  throw new StoreRefused("The namespace of the Redis state store may contain only letters, digits, dots, dashes and underscores.");
}

function durabilityOf(text: string | null): RedisAddress["durability"] {
  if (text === null || text === "required" || text === "relaxed") return text;
  throw new StoreRefused('The durability of the Redis state store is neither "required" nor "relaxed".');
}

function replicasOf(text: string | null): number {
  if (text === null) return 0;
  if (/^\d$/.test(text)) return Number(text);
  throw new StoreRefused("The replicas of the Redis state store must be a number from 0 to 9.");
}
