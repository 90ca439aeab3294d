import type { Infrastructure } from "@toolbus/runtime";
import type { Tool } from "@toolbus/tool-kit";
import { findCommand } from "../find-command.ts";
import type { McpBridge } from "../mcp-bridge.ts";
import type { ServerConfig } from "../mcp-config.ts";
import { sandboxCommand } from "../sandbox-command.ts";
import { CLOSED } from "../sandbox-config.ts";
import type { OpenedMcp } from "../opened-mcp.ts";
import { followRegistered } from "./follow-registered.ts";
import { registeredServers } from "./registered-servers.ts";
import { registerTools } from "./register-tools.ts";

/** The time between two looks at the store. */
const LOOK_EVERY_MS = 5000;
/** The time for which a call waits until a new server has listed its tools. */
const FIRST_LIST_MS = 20_000;

export interface RegisteringOptions extends Pick<Infrastructure, "state" | "identity" | "trusted" | "log"> {
  readonly mode: "sandboxed" | "unsandboxed";
  readonly place: { readonly searchPath: string };
}

/** Opens a bridge that also serves the servers which approved calls registered, with the tools that register them. */
export async function openRegistering(
  open: (tools: readonly Tool[]) => McpBridge,
  { state, identity, trusted, log, mode, place: { searchPath } }: RegisteringOptions,
): Promise<OpenedMcp> {
  const registered = registeredServers({ state, identity, trusted, log });
  const tools = registerTools({
    registered,
    find(name) {
      const server = bridge.server(name);
      return server ? { name: server.config.name, isRegistered: following.isRegistered(name) } : null;
    },
    async check(command, args) {
      const found = await findCommand(command, { searchPath, cwd: "/" });
      if (found === null) throw new Error(`the command "${command.slice(0, 200)}" does not exist or may not be run`);
      if (mode === "sandboxed") await sandboxCommand({ command: found, args }, { sandbox: CLOSED, cwd: undefined, searchPath });
    },
    async apply(name, signal) {
      await following.refresh();
      const waiting = AbortSignal.any([signal, AbortSignal.timeout(FIRST_LIST_MS)]);
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.addEventListener("abort", () => resolve(), { once: true });
      await Promise.race([promise, bridge.server(name)?.tried]);
    },
    stateOf(name) {
      const server = bridge.server(name);
      const own = bridge.toolset.list().filter(({ definition }) => definition.source === `mcp:${server?.config.name}`);
      return { tools: own.map(({ definition }) => definition.name), unavailable: server?.unavailable() ?? null };
    },
  });
  const bridge = open(tools);
  const following = followRegistered({
    bridge,
    registered,
    log,
    everyMs: LOOK_EVERY_MS,
    configOf: ({ name, command, args }): ServerConfig => ({
      name,
      // Nothing in these texts is replaced, and the program gets no variable of the bridge except where programs are.
      address: {
        kind: "stdio",
        command,
        args,
        env: { PATH: searchPath },
        ...(mode === "sandboxed" ? { sandbox: CLOSED } : { cwd: "/" }),
      },
      policy: {},
      tools: {},
    }),
  });
  await following.refresh().catch((error: unknown) => log.warn({ error }, "the registered MCP servers could not be read; it is retried"));
  return { bridge, refresh: following.refresh, stop: following.stop };
}
