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
 * Returns the rules of a service: the families that it reads and writes, the families of other services that it reads, and the commands that the
 * state store uses. A script has the rights of its sender, so the rules also name the commands that scripts use. INFO is the only permitted command
 * that inspects the server. No permitted command changes or stops it.
 */
export function redisRules(namespace: string | null, { store }: ServiceRights): readonly string[] {
  const keys = redisKeys(namespace);
  const patterns = [
    ...keyRules(store.documents, (name) => keys.document(namePattern(name))),
    ...keyRules(store.logs, (name) => keys.log(namePattern(name))),
    ...keyRules(store.live, (name) => keys.live(namePattern(name))),
    ...keyRules(store.indexes, (name) => keys.index(name, ANY)),
    ...store.rows.flatMap((name) => [keys.timers(name, ANY), keys.outbox(name, ANY), keys.outboxRows(name, ANY)].map(readAndWrite)),
    // Every commit writes these keys.
    ...[keys.commits(ANY), keys.marks(ANY), keys.feed(ANY)].map(readAndWrite),
    ...(store.blobs === "none" ? [] : [(store.blobs === "write" ? readAndWrite : readOnly)(keys.blob(ANY))]),
    readOnly(keys.store),
    (store.keepsTime ? readAndWrite : readOnly)(keys.clock),
  ];
  return [...NOTHING, ...patterns, ...[...COMMANDS.connection, ...COMMANDS.store].map((command) => `+${command}`)];
}

/** Returns the rules of the setup login. It makes the record of the store, and asks the server whether it keeps the writes that it acknowledges. */
export function redisSetUpRules(namespace: string | null): readonly string[] {
  return [
    ...NOTHING,
    readAndWrite(redisKeys(namespace).store),
    ...[...COMMANDS.connection, ...COMMANDS.setUp].map((command) => `+${command}`),
  ];
}

/** The rules of the login for the server's operator. */
export const REDIS_ADMIN_RULES: readonly string[] = ["allkeys", "allchannels", "+@all"];

/**
 * Returns the file of users (`aclfile`), with only the given users. The file contains the SHA-256 of each password. A hash is useless to a reader of
 * the file, because each password is 32 random bytes.
 */
export function redisAclFile(logins: readonly RedisLogin[]): string {
  const lines = logins.map(({ user, password, rules }) => `user ${user} reset on #${hash("sha256", password)} ${rules.join(" ")}`);
  return [DEFAULT_USER, ...lines, ""].join("\n");
}

/**
 * The `default` user is off and has no password, so nobody can log in as it. It still has every right, because a server reads its append-only file as
 * this user and skips everything that this user may not do (redis/redis#14541).
 */
const DEFAULT_USER = "user default reset off allkeys allchannels +@all";

/** Returns the rules of every login by its name: one login for each service, and one for the setup. */
export function redisRulesOf(namespace: string | null, services: readonly ServiceRights[]): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ...services.map((service) => [service.service, redisRules(namespace, service)] as const),
    [SET_UP, redisSetUpRules(namespace)] as const,
  ]);
}

/** The commands that the state store sends to a server, by login. `redis-rights.test.ts` compares them with the source. */
export const COMMANDS = {
  connection: [
    "hello",
    "ping",
    "select",
    "info",
    "time",
    "client|setname",
    // The client sends these only in a cluster, to find its nodes.
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

/** Returns `tb:<family>:{<any shard>}:<any id, or this one>`. */
function namePattern(name: string): string {
  const [family = "", id = ANY] = name.split(":");
  return `tb:${family}:{${ANY}}:${id}`;
}

const readAndWrite = (pattern: string): string => `~${pattern}`;
const readOnly = (pattern: string): string => `%R~${pattern}`;
