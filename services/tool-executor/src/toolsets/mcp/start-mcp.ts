import { readFile } from "node:fs/promises";
import { isForeign } from "@toolbus/contracts";
import { type Infrastructure, Refusal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { readRegistry, type Tool, type Toolset, unregister, type Worker, withSummaryWords } from "@toolbus/tool-kit";
import type { ExecutorConfig } from "../../settings.ts";
import { announceServers } from "./announce-servers.ts";
import { clientTokens } from "./client-token.ts";
import { connectServer } from "./connect-server.ts";
import { leaseTimings } from "./lease/mcp-lease.ts";
import { type Leased, whileLeased } from "./lease/while-leased.ts";
import { type McpBridge, mcpBridge } from "./mcp-bridge.ts";
import { parseMcpConfig, type ServerConfig } from "./mcp-config.ts";
import type { OpenedMcp } from "./opened-mcp.ts";
import { openRegistering } from "./registered/open-registering.ts";
import { REGISTER_TOOLS } from "./registered/register-tools.ts";
import { meteredFetch } from "./remote-transport.ts";
import { listedServices } from "./services/listed-services.ts";
import { serviceTools } from "./services/service-tools.ts";

/** The time for which a start waits for servers. The tools of slower servers are added when the servers are ready. */
const START_WAIT_MS = 5000;

type McpSettings = Pick<ExecutorConfig, "MCP_CONFIG_FILE" | "MCP_REGISTER_SERVERS" | "KNOWN_SERVICES_FILE">;
/** Starts the worker of a toolset. Resolves when calls may arrive. */
type Serve = (toolset: Toolset) => Promise<Worker>;

/**
 * Serves the tools of the servers that a file names, and logs each bad entry. If one of the servers may run only once, the replica with the lease
 * serves all of them, and the others stand by. Throws a `Refusal` if the file is missing or invalid.
 */
export async function startMcp(
  settings: McpSettings,
  infrastructure: Infrastructure,
  serve: Serve,
  timings = leaseTimings,
): Promise<{ stop(): Promise<void> }> {
  const { state, monotonic, random, log, env = {} } = infrastructure;
  const servers = await serversOf(settings.MCP_CONFIG_FILE, { log, env });
  const start = () => startServers(servers, settings, infrastructure, serve);
  if (!needsLease(servers, settings)) return await start();
  const holder = Buffer.from(random(8)).toString("hex");
  return await whileLeased({ state, holder, monotonic, log, timings, start });
}

/** Returns whether only one replica may run the servers. A server that a call registers is a program that may run only once. */
function needsLease(servers: readonly ServerConfig[], { MCP_REGISTER_SERVERS: registering }: McpSettings): boolean {
  return registering !== "off" || servers.some(({ address }) => address.kind === "stdio" && address.perReplica === undefined);
}

async function serversOf(file: string, { log, env }: Required<Pick<Infrastructure, "log" | "env">>): Promise<readonly ServerConfig[]> {
  if (file === "") throw new Refusal("TOOLSETS names mcp, and MCP_CONFIG_FILE is not set: name the file of MCP servers (mcp.json).");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`The file of MCP servers ${file} cannot be read (${error.code ?? "unknown"}): correct MCP_CONFIG_FILE.`);
  });
  const { servers, problems, whole } = parseMcpConfig(text, { file, env });
  if (!whole) throw new Refusal(problems.join(" "));
  for (const problem of problems) log.error({}, `${problem} It is left out; the other servers are served.`);
  return servers;
}

async function startServers(
  servers: readonly ServerConfig[],
  settings: McpSettings,
  infrastructure: Infrastructure,
  serve: Serve,
): Promise<Leased> {
  const opened = await openBridge(servers, settings, infrastructure);
  const { bridge } = opened;
  try {
    const worker = await serve(bridge.toolset);
    const announced = await followServers(opened, worker, infrastructure);
    return {
      async stop() {
        await announced.stop();
        await worker.stop();
        // The bridge stops last, so that a write that was sent is completed.
        await opened.stop();
        await bridge.stop();
      },
      async abandon() {
        // The servers end at once, and so do the calls for which the worker waits.
        await Promise.all([announced.stop(), worker.stop(), bridge.stop(), opened.stop()]);
      },
    };
  } catch (error) {
    await opened.stop();
    await bridge.stop();
    throw error;
  }
}

async function openBridge(
  servers: readonly ServerConfig[],
  { MCP_REGISTER_SERVERS: mode, KNOWN_SERVICES_FILE }: McpSettings,
  infrastructure: Infrastructure,
): Promise<OpenedMcp> {
  const place = placeOf(infrastructure);
  const open = (own: readonly Tool[] = []): McpBridge => bridgeOf(servers, { place, own, KNOWN_SERVICES_FILE }, infrastructure);
  const opened: OpenedMcp =
    mode === "off"
      ? { bridge: open(), refresh: async () => undefined, stop: async () => undefined }
      : await openRegistering(open, { ...infrastructure, mode, place });
  await opened.bridge.tried(START_WAIT_MS);
  return opened;
}

/** Connects to the servers of a file, without a worker, a lease or servers that calls register. The benchmark measures this bridge alone. */
export async function openMcp(file: string, parts: Parts): Promise<McpBridge> {
  const { log, env = {} } = parts;
  const servers = await serversOf(file, { log, env });
  const bridge = bridgeOf(servers, { place: placeOf(parts), own: [], KNOWN_SERVICES_FILE: "" }, parts);
  await bridge.tried(START_WAIT_MS);
  return bridge;
}

type Parts = Pick<Infrastructure, "state" | "clock" | "log" | "monotonic" | "random" | "env">;
type Place = Parameters<typeof connectServer>[1];

function placeOf({ monotonic, env = {} }: Pick<Parts, "monotonic" | "env">): Place {
  const tokens = clientTokens({ monotonic, fetch: meteredFetch });
  return { searchPath: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", cwd: process.cwd(), tokens };
}

function bridgeOf(
  servers: readonly ServerConfig[],
  {
    place,
    own,
    KNOWN_SERVICES_FILE: file,
  }: { readonly place: Place; readonly own: readonly Tool[] } & Pick<McpSettings, "KNOWN_SERVICES_FILE">,
  { state, clock, log, monotonic, random }: Parts,
): McpBridge {
  const listed = listedServices(file, (sentence) => log.warn({}, sentence));
  const reads = serviceTools({
    registered: () => readRegistry(state, log),
    clock,
    listed,
    withWords: (services) => withSummaryWords(state, services),
  });
  return mcpBridge({
    servers,
    connect: (config) => connectServer(config, place),
    own: [...reads, ...own],
    log,
    clock,
    monotonic,
    random,
  });
}

/**
 * Registers each change of the servers' tools, and announces it afterwards. Unregisters tools that a server no longer has, and tools of servers that
 * are no longer configured. Resolves when requests to announce the servers are answered.
 */
export async function followServers(
  { bridge, refresh }: OpenedMcp,
  worker: Pick<Worker, "renew">,
  { bus, state, clock, log }: Pick<Infrastructure, "bus" | "state" | "clock" | "log">,
): Promise<Pick<Worker, "stop">> {
  const announced = await announceServers(bridge, { bus, clock, log });
  bridge.follow(async (gone) => {
    const left = new Set([...gone, ...(await withoutServer(bridge, refresh, state))]);
    for (const name of left) await unregister(state, bridge.toolset.name, name, "1");
    await worker.renew();
    await announced.announce();
  });
  return announced;
}

async function withoutServer(
  { toolset, sources }: McpBridge,
  refresh: OpenedMcp["refresh"],
  state: StateStore,
): Promise<readonly string[]> {
  const registered = (await readRegistry(state)).filter((one) => one.toolset === toolset.name);
  // Another replica may have registered a server and its tools since. The server was stored before its tools, so this bridge knows it now.
  await refresh();
  const offersOwn = toolset.list().some((one) => !isForeign(one.definition));
  return registered
    .filter(({ definition }) => {
      // The bridge's own tools remain registered until a server has listed its tools again. Exception: calls may no longer register servers.
      if (!isForeign(definition)) return REGISTER_TOOLS.has(definition.name) && offersOwn && toolset.find(definition.name) === undefined;
      const listed = sources().get(definition.source);
      // If a server has not listed its tools, its tools remain registered.
      return listed === undefined || (listed && toolset.find(definition.name) === undefined);
    })
    .map(({ definition }) => definition.name);
}
