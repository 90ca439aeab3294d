import { readFile } from "node:fs/promises";
import { type Infrastructure, Refusal } from "@toolbus/runtime";
import type { StateStore } from "@toolbus/state";
import { readRegistry, unregister, type Worker } from "@toolbus/tool-kit";
import { connectServer } from "./connect-server.ts";
import { type McpBridge, mcpBridge } from "./mcp-bridge.ts";
import { parseMcpConfig } from "./mcp-config.ts";

/** How long a start waits for servers; those that take longer join when they are there. */
const START_WAIT_MS = 5000;

/**
 * Starts the servers that a file names, and tells what is wrong with an entry. One that cannot be reached keeps none of the others up. Throws a `Refusal`
 * where there is no file to read, or it is none.
 */
export async function openMcp(file: string, { log, monotonic, random, env = {} }: Infrastructure): Promise<McpBridge> {
  if (file === "") throw new Refusal("TOOLSETS names mcp, and MCP_CONFIG_FILE is not set: name the file of MCP servers (mcp.json).");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(`The file of MCP servers ${file} cannot be read (${error.code ?? "unknown"}): correct MCP_CONFIG_FILE.`);
  });
  const { servers, problems, whole } = parseMcpConfig(text, { file, env });
  if (!whole) throw new Refusal(problems.join(" "));
  for (const problem of problems) log.error({}, `${problem} It is left out; the other servers are served.`);
  const place = { searchPath: env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", cwd: process.cwd() };
  const bridge = mcpBridge({ servers, connect: (config) => connectServer(config, place), log, monotonic, random });
  await bridge.tried(START_WAIT_MS);
  return bridge;
}

/** Registers each change of the servers' tools. What a server has no more, and what servers of an earlier configuration had, is unregistered. */
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
      const listed = sources().get(definition.source);
      // Of a server that has listed nothing yet everything is kept.
      return listed === undefined || (listed && toolset.find(definition.name) === undefined);
    })
    .map(({ definition }) => definition.name);
}
