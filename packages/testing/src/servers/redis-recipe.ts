import path from "node:path";
import type { FakedClock } from "./faked-clock.ts";
import { bareEnvironment, type Place, type Recipe } from "./recipe.ts";
import { localUrl } from "./server-kinds.ts";
import { type ServerLogin, urlLogin } from "./server-url.ts";

export interface RedisOptions {
  /** Settings with the names of `redis.conf`. Each overrides our default. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The user of the URL, from the server's file of users. */
  readonly login?: ServerLogin;
  /** A clock that the test sets. It works only for a server that is a program of this machine. */
  readonly clock?: FakedClock;
}

/** With these settings, a kill loses no acknowledged write, and nothing is evicted. The state store requires this of a Redis. */
const DURABLE = { appendonly: "yes", appendfsync: "always", "maxmemory-policy": "noeviction", save: "" };

export async function redisRecipe(program: string, { settings = {}, login, clock }: RedisOptions, place: Place): Promise<Recipe> {
  const port = await place.port();
  const all = { ...DURABLE, ...settings, bind: "127.0.0.1", port: String(port), dir: place.folder, daemonize: "no" };
  return {
    port,
    url: localUrl("redis", port, login ? urlLogin(login) : loginOf(settings)),
    server: {
      program,
      args: redisArguments(all),
      env: { ...bareEnvironment(place), ...clock?.env },
      folder: place.folder,
      logFile: path.join(place.folder, "server.log"),
    },
    managementUrl: null,
  };
}

/** Returns the settings as arguments, for a Redis in a container. We cannot choose its address. */
export function redisContainerCommand({ settings = {} }: RedisOptions): readonly string[] {
  return ["redis-server", ...redisArguments({ ...DURABLE, ...settings })];
}

/** Returns the login for the URL, if the settings contain a password. */
export function loginOf(settings: Readonly<Record<string, string>>): string {
  const password = settings["requirepass"];
  return password === undefined ? "" : `:${encodeURIComponent(password)}@`;
}

function redisArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}
