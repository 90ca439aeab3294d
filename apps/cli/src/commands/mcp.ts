import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";

/** Declares `toolbus mcp …`, which tries the MCP servers of a file and lists those that are registered. */
export function addMcp(program: Command, define: Define): void {
  const mcp = group(program, "mcp", "try the MCP servers of a file, and list the registered ones");

  define(mcp, {
    name: "list",
    summary: "list the MCP servers whose tools are registered, and whether they answer",
    audience: "gateway",
    examples: ["toolbus mcp list", "toolbus mcp list --json"],
    run: async (context) => (await import("../mcp/list-servers.ts")).listServers(context),
  });

  define(mcp, {
    name: "test [file]",
    summary: "start or connect to each MCP server of a file once, and list its tools",
    more:
      "The file is MCP_CONFIG_FILE by default, else mcp.json. The command registers nothing. It prints each tool as the bridge would register it, with " +
      "the fingerprint that declares it a read, or what is wrong with its server. It exits with 1 if a server cannot be used.",
    audience: "gateway",
    examples: ["toolbus mcp test mcp.json", "toolbus mcp test mcp.json --json"],
    run: async (context, command) => (await import("../mcp/test-servers.ts")).testServers(context, command.args[0]),
  });
}
