import { Redis } from "ioredis";
import { type Access, type DeploymentParts, isNamed, SET_UP, type ServiceRights, storeNames, type TriedRight } from "@toolbus/contracts";
import { StoreUnavailable } from "../state-store.ts";
import { failFastOptions } from "./fail-fast-options.ts";
import { redisKeys } from "./redis-keys.ts";
import { refusalOf } from "./redis-errors.ts";
import type { RedisAddress } from "./redis-url.ts";

/** A key, with the commands that read and write it. */
interface Thing {
  readonly what: string;
  readonly key: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly mayRead: boolean;
  readonly mayWrite: boolean;
}

/**
 * Tries with one login to read and to write something of every family, and to use every command that could do harm. Keys with a shard are in a shard
 * that no store has, so nobody reads them. The arguments are chosen so that the commands have no effect even on a server that accepts them.
 */
export async function tryRedisRights(
  address: RedisAddress,
  service: ServiceRights | "setup",
  services: readonly ServiceRights[],
  parts: DeploymentParts,
): Promise<readonly TriedRight[]> {
  const client = new Redis({ ...failFastOptions(address, () => 0), enableReadyCheck: false, retryStrategy: () => null });
  client.on("error", () => undefined);
  await client.connect().catch((error: unknown) => {
    throw refusalOf(error, address.shown) ?? new StoreUnavailable(`${address.shown} did not answer.`);
  });
  const tried: TriedRight[] = [];
  try {
    const keys = redisKeys(address.namespace);
    for (const thing of thingsOf(address, service, services, parts)) {
      const { what, key, read, write, mayRead, mayWrite } = thing;
      await attempt(`read ${what}`, mayRead, read);
      await attempt(`write ${what}`, mayWrite, write);
      if (service !== "setup") {
        await attempt(`read ${what} in a script`, mayRead, ["EVAL", script(read), "0", key]);
        await attempt(`write ${what} in a script`, mayWrite, ["EVAL", script(write), "0", key]);
        if (mayWrite) await client.call("DEL", key).catch(() => undefined);
      }
    }
    const isSetup = service === "setup";
    await attempt("read the record of the store", true, ["HMGET", keys.store, "format"]);
    await attempt("write the record of the store", isSetup, ["EVAL", "return redis.call('EXISTS', KEYS[1])", "1", keys.store]);
    await attempt("read a key of somebody else", false, ["EVAL", "return redis.call('EXISTS', KEYS[1])", "1", "permissions-check"]);
    for (const [command, isForSetup] of HARMFUL) await attempt(command.join(" "), isForSetup && isSetup, command);
    await attempt("watch every command", false, ["MONITOR"]);
  } finally {
    client.disconnect();
  }
  return tried;

  async function attempt(what: string, isAllowed: boolean, command: readonly string[]): Promise<void> {
    const [name = "", ...args] = command;
    const found = await client.call(name, args).then(
      () => "allowed" as const,
      (error: unknown) => {
        if (error instanceof Error && error.name === "ReplyError") return isRefusal(error) ? ("refused" as const) : ("allowed" as const);
        throw new StoreUnavailable(`${address.shown} did not answer.`);
      },
    );
    tried.push({ what, expected: isAllowed ? "allowed" : "refused", found });
  }
}

const SHARD = "permissions-check";
const ID = "permissions-check";

/**
 * Returns whether an error is a refusal. Scripts report a refusal in their own words, which were different before 7.2. A command that the server does
 * not have, or has disabled, also counts as refused, because it can do no harm.
 */
function isRefusal({ message }: Error): boolean {
  return /NOPERM|ACL failure|The user executing the script can't|^ERR unknown (?:sub)?command|^ERR \w+ command not allowed/.test(message);
}

/** Returns a script that executes this command and receives the key as an argument. Redis checks the right when the script executes the command. */
function script([name, , ...args]: readonly string[]): string {
  return `return redis.call(${[`'${name}'`, "ARGV[1]", ...args.map((arg) => `'${arg}'`)].join(", ")})`;
}

function thingsOf(
  { namespace }: RedisAddress,
  service: ServiceRights | "setup",
  services: readonly ServiceRights[],
  parts: DeploymentParts,
): readonly Thing[] {
  const keys = redisKeys(namespace);
  const own = service === "setup" ? null : service.store;
  const name = (family: string, id: string): string => `tb:${family}:{${SHARD}}:${id}`;
  const { families, indexes } = storeNames(parts);
  // Some families have a document that is named after one service.
  const named = (kind: "documents" | "logs"): readonly (readonly [string, string])[] =>
    services.flatMap(({ store }) =>
      [...store[kind].writes]
        .filter((each) => each.includes(":"))
        .map((each) => [each.slice(0, each.indexOf(":")), each.slice(each.indexOf(":") + 1)] as const),
    );
  const ids = (kind: "documents" | "logs", those: readonly string[]): readonly (readonly [string, string])[] => [
    ...those.map((family) => [family, ID] as const),
    ...named(kind),
  ];
  const kindFamilies = (kind: "logs" | "live"): readonly string[] => [
    ...new Set(services.flatMap(({ store }) => [...store[kind].writes, ...store[kind].reads].map((each) => each.split(":")[0] ?? ""))),
  ];
  // A right to the documents of a family covers its logs, because their keys begin in the same way.
  const may = (kind: "documents" | "logs" | "live", family: string, id: string) => rightsTo(own && [own[kind], own.documents], family, id);
  return [
    ...ids("documents", families).map(([family, id]) =>
      text(`${family} ${id}`, keys.document(name(family, id)), may("documents", family, id)),
    ),
    ...ids("logs", kindFamilies("logs")).map(([family, id]) =>
      list(`the log ${family} ${id}`, keys.log(name(family, id)), may("logs", family, id)),
    ),
    ...kindFamilies("live").map((family) => list(`live batches of ${family}`, keys.live(name(family, ID)), may("live", family, ID))),
    ...indexes.map((index) => sortedSet(`the list ${index}`, keys.index(index, SHARD), rightsTo(own && [own.indexes], index, ""))),
    ...[...services.map((each) => each.service), SET_UP].flatMap((row) => {
      const isOwn = own?.rows.includes(row) ?? false;
      const rights = { mayRead: isOwn, mayWrite: isOwn };
      return [
        sortedSet(`the timers of ${row}`, keys.timers(row, SHARD), rights),
        sortedSet(`the outbox of ${row}`, keys.outbox(row, SHARD), rights),
        hash(`the messages of ${row}`, keys.outboxRows(row, SHARD), rights),
      ];
    }),
    text("the number of commits", keys.commits(SHARD), { mayRead: own !== null, mayWrite: own !== null }),
    text("the marks of commits", keys.marks(SHARD), { mayRead: own !== null, mayWrite: own !== null }),
    stream("the feed", keys.feed(SHARD), { mayRead: own !== null, mayWrite: own !== null }),
    text("a blob", keys.blob(ID), { mayRead: own !== null && own.blobs !== "none", mayWrite: own?.blobs === "write" }),
    // This is a real key, because it belongs to no shard. The write of an empty text changes nothing.
    {
      ...text("the store's time", keys.clock, { mayRead: own !== null, mayWrite: own?.keepsTime ?? false }),
      write: ["SETRANGE", keys.clock, "0", ""],
    },
    text("a key that is not one of the store's", namespace === null ? ID : `${namespace}:${ID}`, { mayRead: false, mayWrite: false }),
    text("a document of another namespace", `stranger:${name("one", ID)}`, { mayRead: false, mayWrite: false }),
  ];
}

type Rights = Pick<Thing, "mayRead" | "mayWrite">;

function rightsTo(parts: readonly Access[] | null, family: string, id: string): Rights {
  const mayWrite = parts?.some(({ writes }) => isNamed(writes, family, id)) ?? false;
  return { mayWrite, mayRead: mayWrite || (parts?.some(({ reads }) => isNamed(reads, family, id)) ?? false) };
}

const text = (what: string, key: string, rights: Rights): Thing => ({
  what,
  key,
  ...rights,
  read: ["GETRANGE", key, "0", "1"],
  write: ["SETRANGE", key, "0", "x"],
});
const list = (what: string, key: string, rights: Rights): Thing => ({
  what,
  key,
  ...rights,
  read: ["LRANGE", key, "0", "1"],
  write: ["RPUSH", key, "x"],
});
const sortedSet = (what: string, key: string, rights: Rights): Thing => ({
  what,
  key,
  ...rights,
  read: ["ZCARD", key],
  write: ["ZADD", key, "0", "x"],
});
const hash = (what: string, key: string, rights: Rights): Thing => ({
  what,
  key,
  ...rights,
  read: ["HLEN", key],
  write: ["HSET", key, "x", "x"],
});
const stream = (what: string, key: string, rights: Rights): Thing => ({
  what,
  key,
  ...rights,
  read: ["XREVRANGE", key, "+", "-", "COUNT", "1"],
  write: ["XADD", key, "*", "x", "x"],
});

/**
 * Commands that no service needs. The value beside each one says whether the setup login needs it. Redis checks the number of arguments, then the
 * rights, and only then the content of the arguments. With these arguments no command has an effect.
 */
const HARMFUL: readonly (readonly [readonly string[], boolean])[] = [
  [["CONFIG", "GET", "appendfsync"], true],
  ...[
    ["CONFIG", "SET", "permissions-check", "x"],
    ["CONFIG", "SET", "appendfsync", "permissions-check"],
    ["REPLICAOF", "permissions-check", "no-port"],
    ["SLAVEOF", "permissions-check", "no-port"],
    ["FAILOVER", "permissions-check"],
    ["SHUTDOWN", "permissions-check"],
    ["DEBUG", "permissions-check"],
    ["FLUSHALL", "permissions-check"],
    ["FLUSHDB", "permissions-check"],
    ["SWAPDB", "x", "y"],
    ["BGSAVE", "permissions-check"],
    ["ACL", "LIST"],
    ["ACL", "GETUSER", "permissions-check"],
    ["ACL", "SETUSER", "permissions-check", "no-rule"],
    ["ACL", "DELUSER", "permissions-check"],
    ["CLIENT", "LIST", "permissions-check"],
    ["CLIENT", "KILL", "permissions-check"],
    ["CLIENT", "PAUSE", "x"],
    ["CLIENT", "NO-EVICT", "x"],
    ["MODULE", "LOAD", "/permissions-check"],
    ["SCRIPT", "FLUSH", "permissions-check"],
    ["SCRIPT", "LOAD", "return"],
    ["FUNCTION", "FLUSH", "permissions-check"],
    ["FUNCTION", "LOAD", "permissions-check"],
    ["FUNCTION", "DUMP"],
    ["FCALL", "permissions-check", "0"],
    ["MIGRATE", "permissions-check", "no-port", "x", "0", "1"],
    ["RESTORE", "permissions-check", "x", "x"],
    ["DUMP", "permissions-check"],
    ["RENAME", "permissions-check", "permissions-check-2"],
    ["COPY", "permissions-check", "permissions-check-2"],
    ["MOVE", "permissions-check", "x"],
    ["OBJECT", "FREQ", "permissions-check"],
    ["KEYS", "permissions-check"],
    ["SCAN", "x"],
    ["DBSIZE"],
    ["RANDOMKEY"],
    ["SORT", "permissions-check"],
    ["TOUCH", "permissions-check"],
    ["UNLINK", "permissions-check"],
    ["EXPIRE", "permissions-check", "x"],
    ["LATENCY", "RESET", "permissions-check"],
    ["SLOWLOG", "GET", "x"],
    ["MEMORY", "USAGE", "permissions-check"],
    ["CLUSTER", "FAILOVER", "permissions-check"],
    ["CLUSTER", "RESET", "permissions-check"],
    ["CLUSTER", "MEET", "x", "y"],
    ["PUBLISH", "permissions-check", "x"],
    ["PSYNC", "x", "y"],
    ["LCS", "permissions-check", "permissions-check"],
  ].map((command) => [command, false] as const),
];
