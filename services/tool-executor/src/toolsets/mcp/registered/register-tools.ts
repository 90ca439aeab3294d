import { counted } from "@toolbus/contracts";
import { defineTool, type Tool, toolError, type ToolProblem } from "@toolbus/tool-kit";
import type { RegisteredServers } from "./registered-servers.ts";

const REGISTER = "mcp_register_server";
const UNREGISTER = "mcp_unregister_server";
/** The names of the tools with which calls register and unregister servers. The bridge has them only if `MCP_REGISTER_SERVERS` allows it. */
export const REGISTER_TOOLS: ReadonlySet<string> = new Set([REGISTER, UNREGISTER]);

/** What the tools do with the bridge. */
export interface RegisterToolsOptions {
  readonly registered: RegisteredServers;
  /** Returns the name and the origin of the server with this name in snake case, or null if there is none. */
  readonly find: (name: string) => { readonly name: string; readonly isRegistered: boolean } | null;
  /** Rejects with an Error that completes a sentence about the server, if the program does not exist or its sandbox cannot start. */
  readonly check: (command: string, args: readonly string[]) => Promise<void>;
  /** Connects what was registered, and ends what was unregistered. Resolves when the server was tried once, or when the signal aborts. */
  readonly apply: (name: string, signal: AbortSignal) => Promise<void>;
  /** Returns the registered names of a server's tools, and why the server is unavailable, or null. */
  readonly stateOf: (name: string) => { readonly tools: readonly string[]; readonly unavailable: string | null };
}

/** For this time, no attempt of a call is repeated after another one. */
const KEY_KEPT_MS = 86_400_000;

const serverName = {
  type: "string",
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z][A-Za-z0-9 _.-]*$",
} as const;

/**
 * Returns the writes that add a server to the bridge and remove it. Registering a server runs a program, so it has the tier critical. The tools of a
 * new server are writes that wait for an operator, as all tools of servers are.
 */
export function registerTools({ registered, find, check, apply, stateOf }: RegisterToolsOptions): readonly Tool[] {
  return [
    defineTool({
      name: REGISTER,
      kind: "write",
      trust: "untrusted",
      risk: { tier: "critical" },
      idempotency: { mode: "key", keepsForMs: KEY_KEPT_MS },
      timeoutMs: 60_000,
      effect: 'Run the program "{command}" as the MCP server "{server_name}", now and after every restart.',
      description: [
        "Adds an MCP server to the bridge: a program that the bridge starts, and whose tools it then offers.",
        'Input: server_name, such as "wiki", 1 to 64 letters, digits, spaces, dots, "-" and "_"; command, a program in PATH such as "mcp-wiki" or a full path, up to 500 characters; arguments, up to 32 of up to 500 characters. Nothing in them is expanded. The program gets no secrets and no environment except PATH.',
        "Output: server, its tools, and the problem if it could not be connected yet. Each tool waits until an operator enables it.",
        "Do not use it for a server with an address, or for one that is registered already.",
      ].join("\n"),
      parameters: {
        type: "object",
        properties: {
          server_name: { ...serverName, description: "The name of the new server. Case does not matter." },
          command: {
            type: "string",
            minLength: 1,
            maxLength: 500,
            pattern: "^(/.*|[^/]+)$",
            description: "The program, by its name in PATH or by its full path",
          },
          arguments: {
            type: "array",
            maxItems: 32,
            items: { type: "string", maxLength: 500, description: "One argument of the program" },
            description: "The arguments of the program, in order",
          },
        },
        required: ["server_name", "command"],
        additionalProperties: false,
      },
      prepare: async ({ server_name, command, arguments: args = [] }: RegisterArguments) => {
        const known = find(server_name);
        // An attempt that is repeated finds its own server. The store knows the call.
        if (known && !known.isRegistered) return isConfigured(known.name);
        if ([command, ...args].some((text) => text.includes("\0"))) return toolError("invalid_arguments", "An argument contains a NUL.");
        try {
          await check(command, args);
        } catch (error) {
          return toolError(
            "mcp_server_not_started",
            `The server "${server_name}" cannot be started: ${error instanceof Error ? error.message : String(error)}.`,
          );
        }
        return { name: server_name.trim(), command, args: [...args] };
      },
      run: async ({ name, command, args }: PreparedServer, { idempotencyKey, signal }) => {
        switch (await registered.add({ name, command, args, callId: idempotencyKey })) {
          case "exists":
            return toolError(
              "mcp_server_exists",
              `There is already an MCP server "${name}". Unregister it first, or use another name.`,
              NONE,
            );
          case "full":
            return toolError("mcp_servers_full", "There are too many registered MCP servers. Unregister one first.", NONE);
          default:
        }
        await apply(name, signal);
        const { tools, unavailable } = stateOf(name);
        return {
          server: `mcp:${name}`,
          tools: [...tools],
          note:
            unavailable === null
              ? `${counted(tools.length, "tool")} registered. Each waits until an operator enables it.`
              : `The server is registered. ${unavailable} It is retried.`,
        };
      },
    }),
    defineTool({
      name: UNREGISTER,
      kind: "write",
      idempotency: { mode: "key", keepsForMs: KEY_KEPT_MS },
      timeoutMs: 30_000,
      effect: 'End the MCP server "{server_name}" and remove its tools.',
      description: [
        "Removes an MCP server that mcp_register_server added: ends its program and removes its tools.",
        'Input: server_name, such as "wiki", 1 to 64 characters. Case does not matter.',
        "Output: server, and the number of tools that were removed.",
        "Do not use it for a server of the operator's file, which only an operator can remove.",
      ].join("\n"),
      parameters: {
        type: "object",
        properties: { server_name: { ...serverName, description: "The name of a server that mcp_register_server added" } },
        required: ["server_name"],
        additionalProperties: false,
      },
      prepare: ({ server_name }: { readonly server_name: string }) => {
        const known = find(server_name);
        if (known && !known.isRegistered) return isConfigured(known.name);
        return { name: known?.name ?? server_name.trim() };
      },
      run: async ({ name }: { readonly name: string }, { idempotencyKey, signal }) => {
        const { tools } = stateOf(name);
        if ((await registered.remove(name, idempotencyKey)) === "missing")
          return toolError(
            "mcp_server_not_found",
            `There is no registered MCP server "${name}". mcp_list_services lists all servers.`,
            NONE,
          );
        await apply(name, signal);
        return { server: `mcp:${name}`, removed_tools: tools.length };
      },
    }),
  ];
}

type RegisterArguments = { readonly server_name: string; readonly command: string; readonly arguments?: readonly string[] };
type PreparedServer = { readonly name: string; readonly command: string; readonly args: string[] };

const NONE = { effect: "none" } as const;

function isConfigured(name: string): ToolProblem {
  return toolError(
    "mcp_server_configured",
    `The MCP server "${name}" is in the operator's file of servers. Only an operator can change it there.`,
  );
}
