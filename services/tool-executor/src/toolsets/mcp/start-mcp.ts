import { readFile } from "node:fs/promises";
import { isForeign } from "@toolbus/contracts";
import { type Infrastructure, Refusal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { readRegistry, unregister, type Worker } from "@toolbus/tool-kit";
import { clientTokens } from "./client-token.ts";
import { connectServer } from "./connect-server.ts";
import { type McpBridge, mcpBridge } from "./mcp-bridge.ts";
import { parseMcpConfig } from "./mcp-config.ts";
import { meteredFetch } from "./remote-transport.ts";
import { serviceTools } from "./services/service-tools.ts";

/** The time for which a start waits for servers. The tools of slower servers are added when the servers are ready. */
const START_WAIT_MS = 5000;

/**
 * Starts the servers that a file names, and logs each bad entry. An unreachable server does not block the other servers. Throws a `Refusal` if the
 * file is missing or invalid.
 */
export async function openMcp(file: string, { state, clock, log, monotonic, random, env = {} }: Infrastructure): Promise<McpBridge> {
  if (file === "") throw new Refusal("TOOLSETS names mcp, and MCP_CONFIG_FILE is not set: name the file of MCP servers (mcp.json).");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`The file of MCP servers ${file} cannot be read (${error.code ?? "unknown"}): correct MCP_CONFIG_FILE.`);
  });
  const { servers, problems, whole } = parseMcpConfig(text, { file, env });
  if (!whole) throw new Refusal(problems.join(" "));
  for (const problem of problems) log.error({}, `${problem} It is left out; the other servers are served.`);
  const tokens = clientTokens({ monotonic, fetch: meteredFetch });
  const place = { searchPath: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", cwd: process.cwd(), tokens };
  const own = serviceTools({ registered: () => readRegistry(state, log), clock });
  const bridge = mcpBridge({ servers, connect: (config) => connectServer(config, place), own, log, monotonic, random });
  await bridge.tried(START_WAIT_MS);
  return bridge;
}

/** Registers each change of the servers' tools. Unregisters tools that a server no longer has, and tools of servers that are no longer configured. */
export function followServers(bridge: McpBridge, worker: Pick<Worker, "renew">, state: StateStore): void {
  bridge.follow(async (gone) => {
    const left = new Set([...gone, ...(await withoutServer(bridge, state))]);
    for (const name of left) await unregister(state, bridge.toolset.name, name, "1");
    await worker.renew();
  });
}

async function withoutServer({ toolset, sources }: McpBridge, state: StateStore): Promise<readonly string[]> {
  const registered = (await readRegistry(state)).filter((one) => one.toolset === toolset.name);
  return registered
    .filter(({ definition }) => {
      // The bridge's own tools remain registered until a server has listed its tools again.
      if (!isForeign(definition)) return false;
      const listed = sources().get(definition.source);
      // If a server has not listed its tools, its tools remain registered.
      return listed === undefined || (listed && toolset.find(definition.name) === undefined);
    })
    .map(({ definition }) => definition.name);
}
