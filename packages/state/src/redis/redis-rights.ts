import { hash } from "node:crypto";
import { type Access, SET_UP, type ServiceRights } from "@toolbus/contracts";
import { redisKeys } from "./redis-keys.ts";

/** A user of Redis, with the rules of its ACL. */
export interface RedisLogin {
  readonly user: string;
  readonly password: string;
  readonly rules: readonly string[];
}

/**
 * The rules of a service: its families to read and write, those of others to read, and the commands that the state store uses. A script has the rights of
 * its sender, so the commands of the scripts are named too. No command that inspects, changes or stops the server is among them except INFO.
 */
export function redisRules(namespace: string | null, { store }: ServiceRights): readonly string[] {
  const keys = redisKeys(namespace);
  const patterns = [
    ...keyRules(store.documents, (name) => keys.document(namePattern(name))),
    ...keyRules(store.logs, (name) => keys.log(namePattern(name))),
    ...keyRules(store.live, (name) => keys.live(namePattern(name))),
    ...keyRules(store.indexes, (name) => keys.index(name, ANY)),
    ...store.rows.flatMap((name) => [keys.timers(name, ANY), keys.outbox(name, ANY), keys.outboxRows(name, ANY)].map(readAndWrite)),
    // Every commit writes these.
    ...[keys.commits(ANY), keys.marks(ANY), keys.feed(ANY)].map(readAndWrite),
    ...(store.blobs === "none" ? [] : [(store.blobs === "write" ? readAndWrite : readOnly)(keys.blob(ANY))]),
    readOnly(keys.store),
    (store.keepsTime ? readAndWrite : readOnly)(keys.clock),
  ];
  return [...NOTHING, ...patterns, ...[...COMMANDS.connection, ...COMMANDS.store].map((command) => `+${command}`)];
}

/** The rules of the login that makes the record of the store, and asks the server whether it keeps what it acknowledges. */
export function redisSetUpRules(namespace: string | null): readonly string[] {
  return [
    ...NOTHING,
    readAndWrite(redisKeys(namespace).store),
    ...[...COMMANDS.connection, ...COMMANDS.setUp].map((command) => `+${command}`),
  ];
}

/** The rules of the server's operator. */
export const REDIS_ADMIN_RULES: readonly string[] = ["allkeys", "allchannels", "+@all"];

/**
 * The file of users (`aclfile`): the given users, and nobody else. Passwords are there as their SHA-256, which is of no use to a reader of the file,
 * because they are 32 random bytes.
 */
export function redisAclFile(logins: readonly RedisLogin[]): string {
  const lines = logins.map(({ user, password, rules }) => `user ${user} reset on #${hash("sha256", password)} ${rules.join(" ")}`);
  return [DEFAULT_USER, ...lines, ""].join("\n");
}

/**
 * Nobody can be `default`: it is off, and has no password. It may still do everything, because a server reads its append-only file as this user, and skips
 * everything in it that this user may not do (redis/redis#14541).
 */
const DEFAULT_USER = "user default reset off allkeys allchannels +@all";

/** Rules of every login by its name: one for each service, and the one that sets up. */
export function redisRulesOf(namespace: string | null, services: readonly ServiceRights[]): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ...services.map((service) => [service.service, redisRules(namespace, service)] as const),
    [SET_UP, redisSetUpRules(namespace)] as const,
  ]);
}

/** What the state store asks a server to do, by who asks it. `redis-rights.test.ts` compares it with the source. */
export const COMMANDS = {
  connection: [
    "hello",
    "ping",
    "select",
    "info",
    "time",
    "client|setname",
    // Only in a cluster, where they are needed to find its nodes.
    "cluster|slots",
    "cluster|info",
  ],
  store: [
    "eval",
    "evalsha",
    "eval_ro",
    "evalsha_ro",
    "get",
    "set",
    "mget",
    "hmget",
    "lrange",
    "xread",
    "xrevrange",
    "wait",
    "del",
    "getrange",
    "hdel",
    "hget",
    "hlen",
    "hset",
    "incr",
    "lindex",
    "llen",
    "lset",
    "ltrim",
    "persist",
    "pexpire",
    "rpush",
    "setrange",
    "strlen",
    "xadd",
    "zadd",
    "zcard",
    "zcount",
    "zrange",
    "zrangebyscore",
    "zrem",
    "zrevrange",
  ],
  setUp: ["acl|dryrun", "config|get", "eval", "exists", "hmget", "hset"],
} as const;

const ANY = "*";
const NOTHING = ["resetkeys", "resetchannels", "-@all"];

function keyRules({ writes, reads }: Access, key: (name: string) => string): readonly string[] {
  return [...writes.map((name) => readAndWrite(key(name))), ...reads.map((name) => readOnly(key(name)))];
}

/** `tb:<family>:{<any shard>}:<any id, or this one>`. */
function namePattern(name: string): string {
  const [family = "", id = ANY] = name.split(":");
  return `tb:${family}:{${ANY}}:${id}`;
}

const readAndWrite = (pattern: string): string => `~${pattern}`;
const readOnly = (pattern: string): string => `%R~${pattern}`;
