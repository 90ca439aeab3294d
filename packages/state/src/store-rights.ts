import { randomBytes } from "node:crypto";
import type { DeploymentParts, ServiceRights, TriedRight } from "@toolbus/contracts";
import { REDIS_ADMIN_RULES, redisAclFile, redisRulesOf } from "./redis/redis-rights.ts";
import { parseRedisUrl, type RedisAddress } from "./redis/redis-url.ts";
import { StoreRefused } from "./state-store.ts";

/** A login for the store. */
export interface StoreLogin {
  readonly user: string;
  readonly password: string;
  /** The service that uses the login. `setup` makes the record of the store, and `admin` operates the server. */
  readonly service: string;
}

/** The operations on a deployment's state store that concern logins. */
export interface StoreRightsPlace {
  /** Returns the file of users that the server reads (`aclfile`). */
  fileOf(logins: readonly StoreLogin[], services: readonly ServiceRights[]): string;
  /** Returns the URL of the store with another login. */
  urlFor(login: { readonly user: string; readonly password: string }): string;
  /** Makes the record of the store, with the login of the URL. Repeating it is safe. Throws `StoreRefused` and `StoreUnavailable`. */
  setUp(warn: (sentence: string) => void): Promise<void>;
  /** Tries everything that the URL's login may do and may not do, under keys of a shard that no store has. */
  tryRights(service: ServiceRights | "setup", services: readonly ServiceRights[], parts: DeploymentParts): Promise<readonly TriedRight[]>;
}

/** Reads the place from the URL of a store, without connecting to it. Throws `StoreRefused` for a store that has no logins. */
export function storeRights(url: string): StoreRightsPlace {
  if (!/^rediss?:\/\//.test(url))
    throw new StoreRefused("STATE_URL names a store within one process, which has no logins; name a redis:// address.");
  const address: RedisAddress = parseRedisUrl(url);
  return {
    fileOf(logins, services) {
      const rules = redisRulesOf(address.namespace, services);
      return redisAclFile(logins.map(({ service, ...login }) => ({ ...login, rules: rules.get(service) ?? adminOnly(service) })));
    },
    urlFor({ user, password }) {
      const own = new URL(url);
      own.username = encodeURIComponent(user);
      own.password = encodeURIComponent(password);
      return own.href;
    },
    async setUp(warn) {
      const { openRedisStore } = await import("./redis/redis-store.ts");
      const store = await openRedisStore({ url, random: randomBytes, warn });
      await store.close();
    },
    async tryRights(service, services, parts) {
      const { tryRedisRights } = await import("./redis/try-rights.ts");
      return tryRedisRights(address, service, services, parts);
    },
  };
}

function adminOnly(service: string): readonly string[] {
  if (service === "admin") return REDIS_ADMIN_RULES;
  throw new RangeError(`There are no rights for "${service}".`);
}
