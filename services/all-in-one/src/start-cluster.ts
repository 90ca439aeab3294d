import { readFile } from "node:fs/promises";
import path from "node:path";
import { modelInWords } from "@toolbus/agent";
import { approvals } from "@toolbus/approvals";
import { gateway } from "@toolbus/gateway";
import { unknownSettings } from "@toolbus/runtime";
import { mcpVariablesOf } from "@toolbus/tool-executor";
import { greeting, withoutLogin } from "./greeting.ts";
import { keepRunning } from "./keep-running.ts";
import { keepAddresses } from "./kept-addresses.ts";
import { everySetting, NOT_SHARED, settingsOfService } from "./known-settings.ts";
import { refuseOnePortForBoth } from "./own-ports.ts";
import { namedLines } from "./named-lines.ts";
import { embeddedReleaseApi } from "./release-api.ts";
import { APART, type Apart, type ApartName, startApart } from "./start-apart.ts";
import { type EmbeddedOptions, NO_RELEASE } from "./start-embedded.ts";

export interface ClusterOptions extends EmbeddedOptions {
  /** The addresses of the broker and of the store that the processes share. */
  readonly busUrl: string;
  readonly stateUrl: string;
  /** Receives the output of the processes, each line after the name of its process, and reports about processes that end. */
  readonly tell: (text: string) => void;
  readonly monotonic: () => number;
}

export interface Cluster {
  /** Resolves with the reason when the cluster cannot continue. */
  readonly failed: Promise<Error>;
  stop(): Promise<boolean>;
}

/**
 * Implements `toolbus start --bus --state`. Starts every service in its own process on this machine, with the keys and the example release API of
 * `startEmbedded`. Reports a process that ends, and restarts it after a wait, which is reported too. All of the processes end with this one, however
 * this one ends.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { directory, env, say, tell, signal, monotonic } = options;
  say("Toolbus starts, each service in its own process…\n");
  refuseOnePortForBoth(env);
  for (const line of unread(env)) tell(`${line}\n`);
  const model = await modelInWords(env);
  const servers = await serversEnvironment(env);
  const leaving = new AbortController();
  const ending = AbortSignal.any([leaving.signal, ...(signal ? [signal] : [])]);
  const embedded = env["RELEASE_API_URL"] ? null : await embeddedReleaseApi(directory, ending);
  const own = embedded ? { ...env, RELEASE_API_URL: embedded.api.url } : env;
  const lines = namedLines(tell);
  try {
    const apart = await startApart({
      directory,
      busUrl: options.busUrl,
      stateUrl: options.stateUrl,
      replicas: 1,
      mcp: servers !== null,
      settingsOf: (service) => ({ ...PORTS[service], ...settingsOfService(service, own), ...(service === "mcp" ? servers : {}) }),
      onOutput: lines.write,
      signal: ending,
    });
    const { releaseId, notes } = embedded ?? NO_RELEASE;
    const [gatewayUrl = "", approvalsUrl = ""] = [...apart.gatewayUrls, ...apart.approvalsUrls];
    const forgetAddresses = await keepAddresses(directory, { gatewayUrl, approvalsUrl }, say);
    say(
      greeting({
        gatewayUrl,
        approvalsUrl,
        keys: apart.keys,
        directory,
        model,
        releaseId,
        notes,
        command: options.command,
        where: whereOf(apart, options),
      }),
    );
    const kept = keepRunning(apart, { tell: (sentence) => tell(`${sentence}\n`), signal: ending, monotonic });
    return {
      failed: kept.failed,
      async stop() {
        leaving.abort(new Error("The processes were asked to stop."));
        say("Stopping; open work continues at the next start.\n");
        try {
          await forgetAddresses();
          await kept.settled();
          return await apart.stop();
        } finally {
          lines.end();
          await embedded?.api.stop();
        }
      },
    };
  } catch (error) {
    lines.end();
    await embedded?.api.stop();
    throw error;
  }
}

/** The default ports, unless the environment names others. */
const PORTS: Partial<Readonly<Record<ApartName, Readonly<Record<string, string>>>>> = {
  gateway: { GATEWAY_PORT: String(gateway.settings.GATEWAY_PORT.default) },
  approvals: { APPROVALS_PORT: String(approvals.settings.APPROVALS_PORT.default) },
};

/**
 * Returns a sentence for each variable that was meant for this start but that no process reads, because a separate process gets only the variables
 * that it knows.
 */
function unread(env: EmbeddedOptions["env"]): readonly string[] {
  const unknown = unknownSettings(env, { known: everySetting(), services: APART });
  return [
    ...unknown.map(
      ({ variable, meant }) =>
        `${variable} is not a setting of any service and is not read${meant === null ? "." : `: was ${meant} meant?`}`,
    ),
    ...Object.entries(NOT_SHARED).flatMap(([name, why]) =>
      env[name] ? [`${name} is not read by services in separate processes: ${why}.`] : [],
    ),
  ];
}

/**
 * Returns the variables that the bridge to MCP servers gets besides its settings: PATH, and the variables that its file names. Returns null without a
 * file. If the file is unreadable, the bridge itself refuses it in its own words.
 */
async function serversEnvironment(env: Readonly<Record<string, string | undefined>>): Promise<Readonly<Record<string, string>> | null> {
  const file = env["MCP_CONFIG_FILE"];
  if (!file) return null;
  const text = await readFile(file, "utf8").catch(() => "");
  return Object.fromEntries(["PATH", ...mcpVariablesOf(text)].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function whereOf(apart: Apart, { busUrl, stateUrl, directory }: ClusterOptions): readonly (readonly [string, string])[] {
  return [
    ["bus", withoutLogin(busUrl)],
    ["state", withoutLogin(stateUrl)],
    ["data", path.resolve(directory)],
    [
      "processes",
      apart
        .replicas()
        .map(({ process: { name, pid } }) => `${name} (${pid})`)
        .join(", "),
    ],
  ];
}
