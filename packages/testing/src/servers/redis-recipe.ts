import path from "node:path";
import type { FakedClock } from "./faked-clock.ts";
import { bareEnvironment, type Place, type Recipe } from "./recipe.ts";
import { localUrl } from "./server-kinds.ts";
import { type ServerLogin, urlLogin } from "./server-url.ts";

export interface RedisOptions {
  /** Settings as `redis.conf` names them; each overrides ours. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The user of the URL, from the server's file of users. */
  readonly login?: ServerLogin;
  /** A clock that the test sets. Only for a server that is a program of this machine. */
  readonly clock?: FakedClock;
}

/** A kill loses nothing that was acknowledged, and nothing is evicted: the state store requires this of a Redis. */
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

/** The settings as arguments, for a Redis in a container, whose address we cannot choose. */
export function redisContainerCommand({ settings = {} }: RedisOptions): readonly string[] {
  return ["redis-server", ...redisArguments({ ...DURABLE, ...settings })];
}

/** A Redis with a password has it in its URL. */
export function loginOf(settings: Readonly<Record<string, string>>): string {
  const password = settings["requirepass"];
  return password === undefined ? "" : `:${encodeURIComponent(password)}@`;
}

function redisArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}
