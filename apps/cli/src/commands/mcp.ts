import { type Command, Option } from "commander";
import type { AddServerOptions } from "../mcp/add-server.ts";
import type { RemoveServerOptions } from "../mcp/remove-server.ts";
import type { Define } from "../toolbus/command.ts";
import type { EnableServerOptions } from "../mcp/enable-server.ts";
import type { DisableOptions } from "../writes/disable-write.ts";
import { group } from "./group.ts";

/**
 * Declares `toolbus mcp …`, which edits and tries a file of MCP servers, lists the registered servers, enables or disables their writes, and serves the
 * tools of Toolbus to MCP clients.
 */
export function addMcp(program: Command, define: Define): void {
  const mcp = group(program, "mcp", "add, try, list and enable MCP servers, and serve the tools of Toolbus to MCP clients");

  define(mcp, {
    name: "list",
    summary: "list the MCP servers whose tools are registered, and whether they answer",
    audience: "gateway",
    examples: ["toolbus mcp list", "toolbus mcp list --json"],
    run: async (context) => (await import("../mcp/list-servers.ts")).listServers(context),
  });

  define(mcp, {
    name: "add <name> [command...]",
    summary: "add an MCP server to a file, with its command after -- or with its address",
    more:
      "The file is that of --file, else MCP_CONFIG_FILE, else mcp.json, and is made if it does not exist. The rest of the file does not change. The command " +
      "starts no server. Write secrets as '${VAR}': the bridge then takes them from its own environment.",
    audience: "gateway",
    examples: [
      "toolbus mcp add memory --env 'PATH=${PATH}' -- npx -y @modelcontextprotocol/server-memory",
      "toolbus mcp add wiki --address https://wiki.example.com/mcp --header 'X-Key: ${WIKI_KEY}'",
      "toolbus mcp add adder --sandbox -- /usr/local/bin/adder",
    ],
    run: async (context, command) => {
      const [name = "", ...words] = command.args;
      return (await import("../mcp/add-server.ts")).addServer(context, name, words, command.opts<AddServerOptions>());
    },
  })
    .option("--file <file>", "the file of MCP servers")
    // --url is the gateway's, in every command.
    .option("--address <url>", "the address of the server, instead of a command")
    .addOption(new Option("--type <type>", "the transport at the address; http by default").choices(["http", "sse"]))
    .option("--header <header>", "send this header, written as NAME: VALUE; repeat it for another one", collect)
    .option("--env <variable>", "give the server this variable, written as NAME=VALUE; repeat it for another one", collect)
    .option("--sandbox", "run the server in a sandbox, without network and without your files");

  define(mcp, {
    name: "remove <name>",
    summary: "remove an MCP server from a file",
    more: "The file is that of --file, else MCP_CONFIG_FILE, else mcp.json. The rest of the file does not change.",
    audience: "gateway",
    examples: ["toolbus mcp remove wiki", "toolbus mcp remove wiki --file mcp.json --json"],
    run: async (context, command) =>
      (await import("../mcp/remove-server.ts")).removeServer(context, command.args[0] ?? "", command.opts<RemoveServerOptions>()),
  }).option("--file <file>", "the file of MCP servers");

  define(mcp, {
    name: "test [file]",
    summary: "start or connect to each MCP server of a file once, and list its tools",
    more:
      "The file is MCP_CONFIG_FILE by default, else mcp.json. The command registers nothing. It prints each tool as the bridge would register it, with " +
      "the fingerprint that declares it a read, or what is wrong with it or its server. It exits with 1 if a server cannot be used or a tool is left out.",
    audience: "gateway",
    examples: ["toolbus mcp test mcp.json", "toolbus mcp test mcp.json --json"],
    run: async (context, command) => (await import("../mcp/test-servers.ts")).testServers(context, command.args[0]),
  });

  define(mcp, {
    name: "enable <server>",
    summary: "enable every waiting write of an MCP server, after you have looked at them",
    more:
      "The same as tools enable --server. Shows each definition and asks y/N. Without a terminal, it prints the hash of all of them, for --hash. Needs an operator's key of approvals. A " +
      "definition that is less strict than the enabled one stays as it is, without --accept-weaker.",
    audience: "approvals",
    examples: ["toolbus mcp enable memory", "toolbus mcp enable memory --hash sha256-9b74c9897bac770ff --yes"],
    run: async (context, command) =>
      (await import("../mcp/enable-server.ts")).enableServer(context, command.args[0] ?? "", command.opts<EnableServerOptions>()),
  })
    .option("--hash <hash>", "the hash of all definitions that you checked")
    .option("--disabled", "also the writes that are switched off")
    .option("--accept-weaker", "even those that are less strict than the enabled definition")
    .option("--yes", "do not ask; needs --hash");

  define(mcp, {
    name: "disable <server>",
    summary: "switch off every write of an MCP server: none of them gets grants",
    more: "The same as tools disable --server. Asks y/N if there is a terminal. The reads of the server stay as they are. Needs an operator's key of approvals.",
    audience: "approvals",
    examples: ["toolbus mcp disable memory", "toolbus mcp disable memory --yes --json"],
    run: async (context, command) =>
      (await import("../mcp/disable-server.ts")).disableServer(context, command.args[0] ?? "", command.opts<DisableOptions>()),
  }).option("--yes", "do not ask");

  define(mcp, {
    name: "serve",
    summary: "serve the registered tools to an MCP client over standard input and output",
    more:
      "An MCP client, such as a desktop application, starts this command. It sends each request to the gateway with your key, and ends when the client " +
      "closes standard input. A write that waits for a person answers with a handle, and the tool toolbus_get_call gives its result later. " +
      "Standard output has only messages of the protocol, also with --json.",
    audience: "gateway",
    examples: ["toolbus mcp serve", "toolbus mcp serve --url http://127.0.0.1:8080 --key-file my-key"],
    run: async (context) => (await import("../mcp/serve-tools.ts")).serveTools(context),
  });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
