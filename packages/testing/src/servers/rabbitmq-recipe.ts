import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "./guarded-process.ts";
import { innerRabbitmqScript, programOnPath } from "./program.ts";
import { bareEnvironment, type Place, type Recipe } from "./recipe.ts";
import { localUrl } from "./server-kinds.ts";
import { type ServerLogin, urlLogin } from "./server-url.ts";

export interface RabbitmqOptions {
  /** Settings with the names of `rabbitmq.conf`. Each overrides our default. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether to enable the management plug-in, which doubles the time of the start. */
  readonly management?: boolean;
  /** The user of the URL, if the definitions have users. */
  readonly login?: ServerLogin;
}

/** The default limit would block publishers on a build server with a small disk. */
const DEFAULTS = { "disk_free_limit.absolute": "50MB" };

export async function rabbitmqRecipe(script: string, options: RabbitmqOptions, place: Place): Promise<Recipe> {
  const { folder } = place;
  const port = await place.port();
  const mapperPort = await place.port();
  const distributionPort = await place.port();
  const managementPort = options.management ? await place.port() : null;
  const mapper = programOnPath("epmd", place.searchPath);
  if (mapper === null) throw new Error("RabbitMQ needs epmd, a program of Erlang, and it is not on the PATH.");

  const inside = (name: string): string => path.join(folder, name);
  const management = managementPort === null ? {} : { "management.tcp.ip": "127.0.0.1", "management.tcp.port": String(managementPort) };
  const settings = { ...DEFAULTS, ...management, ...options.settings, "listeners.tcp.1": `127.0.0.1:${port}` };
  await mkdir(inside("data"));
  await mkdir(inside("log"));
  await writeFile(inside("rabbitmq.conf"), rabbitmqConfig(settings));
  await writeFile(inside("enabled_plugins"), options.management ? "[rabbitmq_management].\n" : "[].\n");
  // The server reads this empty file instead of the one of the machine's own RabbitMQ.
  await writeFile(inside("rabbitmq-env.conf"), "");

  const env = { ...bareEnvironment(place), ERL_EPMD_PORT: String(mapperPort), ERL_EPMD_ADDRESS: "127.0.0.1" };
  const server: Command = {
    program: innerRabbitmqScript(script),
    args: [],
    folder,
    logFile: inside("server.log"),
    env: {
      ...env,
      RABBITMQ_NODENAME: `toolbus-test-${port}@localhost`,
      RABBITMQ_DIST_PORT: String(distributionPort),
      RABBITMQ_MNESIA_BASE: inside("data"),
      RABBITMQ_LOG_BASE: inside("log"),
      RABBITMQ_LOGS: "-",
      RABBITMQ_PID_FILE: inside("pid"),
      RABBITMQ_ENABLED_PLUGINS_FILE: inside("enabled_plugins"),
      RABBITMQ_CONFIG_FILE: inside("rabbitmq.conf"),
      RABBITMQ_CONF_ENV_FILE: inside("rabbitmq-env.conf"),
      RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
      // With this setting, the script becomes the Erlang machine. Otherwise the script would stay as the parent, and one of the two processes would
      // survive a kill of the other.
      RUNNING_UNDER_SYSTEMD: "true",
    },
  };
  // A server that finds no port mapper starts one as a daemon and leaves it behind. This port mapper stays in the foreground, and we end it.
  const companion = { ...server, program: mapper, args: ["-address", "127.0.0.1", "-port", String(mapperPort)], env };
  return {
    port,
    url: localUrl("rabbitmq", port, options.login && urlLogin(options.login)),
    server,
    companion,
    // This program is beside RabbitMQ's own start script, so it does not change the user either.
    control: { program: path.join(path.dirname(server.program), "rabbitmqctl"), env: server.env, folder },
    managementUrl:
      managementPort === null ? null : `http://${options.login ? urlLogin(options.login) : "guest:guest@"}127.0.0.1:${managementPort}`,
  };
}

export function rabbitmqConfig(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join("");
}
