import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { bareEnvironment, type Place, type Recipe } from "./recipe.ts";
import { localUrl } from "./server-kinds.ts";
import { type ServerLogin, urlLogin } from "./server-url.ts";

export interface NatsOptions {
  /** Top-level settings with the names of the configuration file, such as `max_payload`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** If both are set, nobody else can log in. */
  readonly user?: string;
  readonly password?: string;
  /** The user of the URL, if the settings define users. */
  readonly login?: ServerLogin;
}

const VERSION_MS = 10_000;

export async function natsRecipe(program: string, options: NatsOptions, place: Place): Promise<Recipe> {
  const port = await place.port();
  const file = path.join(place.folder, "nats.conf");
  const syncs = knowsSyncInterval(await versionOf(program));
  const address = { listen: `127.0.0.1:${port}` };
  const config = natsConfig({ ...options, settings: { ...address, ...options.settings } }, path.join(place.folder, "jetstream"), syncs);
  await writeFile(file, config, { mode: 0o600 });
  return {
    port,
    url: localUrl("nats", port, options.login ? urlLogin(options.login) : natsLogin(options)),
    server: {
      program,
      args: ["-c", file],
      env: bareEnvironment(place),
      folder: place.folder,
      logFile: path.join(place.folder, "server.log"),
    },
    managementUrl: null,
  };
}

/** Returns the text of a configuration file. With `syncs`, every acknowledged message is synced to disk, if the server supports that. */
export function natsConfig({ settings = {}, user, password }: NatsOptions, storeFolder: string, syncs: boolean): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name}: ${value}`);
  const login = user === undefined ? [] : [`authorization { user: ${JSON.stringify(user)}, password: ${JSON.stringify(password ?? "")} }`];
  const sync = syncs ? ", sync_interval: always" : "";
  return [...lines, ...login, `jetstream { store_dir: ${JSON.stringify(storeFolder)}${sync} }`, ""].join("\n");
}

export function natsLogin({ user, password }: NatsOptions): string {
  return user === undefined ? "" : `${encodeURIComponent(user)}:${encodeURIComponent(password ?? "")}@`;
}

/** Returns true from 2.10 on. Version 2.9 refuses a configuration with this setting. */
export function knowsSyncInterval(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 2 || (major === 2 && minor >= 10);
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: VERSION_MS });
  return /v(\d+\.\d+\.\d+)/.exec(stdout)?.[1] ?? "0.0.0";
}
