import type { Command } from "commander";
import type { EnableServerOptions } from "../mcp/enable-server.ts";
import type { Define } from "../toolbus/command.ts";
import type { DisableOptions } from "../writes/disable-write.ts";
import type { EnableOptions } from "../writes/enable-write.ts";
import type { PendingOptions } from "../writes/list-writes.ts";
import type { NewWorkerOptions } from "../tools/new-worker.ts";
import type { StampOptions } from "../tools/stamp-tools.ts";
import type { RemoveOptions } from "../writes/remove-tool.ts";
import type { TierOptions } from "../writes/raise-tier.ts";
import { group } from "./group.ts";
import { serverIn, toolOrServer } from "./tool-or-server.ts";

const OPERATOR = "Needs an operator's key of approvals.";
/** The option of every command that also works for all tools of a server. */
const SERVER = ["--server <server>", "all of this MCP server, instead of one tool"] as const;
const HASH = "sha256-9b74c9897bac770ff";

/** Declares `toolbus tools …`, which shows and calls the registered tools and, at the approvals service, enables writes. */
export function addTools(program: Command, define: Define): void {
  const tools = group(program, "tools", "list and show the tools, call one, enable writes, and begin a worker");

  define(tools, {
    name: "list",
    summary: "list the registered tools, and whether a worker serves each",
    audience: "gateway",
    examples: ["toolbus tools list", "toolbus tools list --json"],
    run: async (context) => (await import("../tools/list-tools.ts")).listTools(context),
  });

  define(tools, {
    name: "show [tool]",
    summary: "show what a tool, or each tool of an MCP server, does and its parameters",
    more: `With --diff, of a write: what is enabled, what is registered and what changed, at the approvals service. ${OPERATOR}`,
    audience: (command) => (command.opts<{ diff?: true }>().diff ? "approvals" : "gateway"),
    examples: [
      "toolbus tools show get_release_summary",
      "toolbus tools show file_risk_report --diff",
      "toolbus tools show --server memory --diff",
    ],
    run: async (context, command) => {
      const { diff } = command.opts<{ diff?: true }>();
      const { tool, server } = toolOrServer(command);
      if (server !== undefined) {
        const { showServer, showServerWrites } = await import("../mcp/show-server.ts");
        return (diff ? showServerWrites : showServer)(context, server);
      }
      if (diff) return (await import("../writes/show-write.ts")).showWrite(context, tool);
      return (await import("../tools/show-tool.ts")).showTool(context, tool);
    },
  })
    .option(...SERVER)
    .option("--diff", "of a write: the enabled definition, and how the registered one differs");

  define(tools, {
    name: "call <tool> [arguments]",
    summary: "call a tool as an agent would, and print its result",
    more: "A write that needs a person waits until somebody has decided. No model is involved, and no model key is needed.",
    audience: "gateway",
    examples: [
      `toolbus tools call get_release_summary '{"release_id": "v1.5.0"}'`,
      `toolbus tools call get_release_summary '{"release_id": "v1.5.0"}' --json --timeout 30s`,
    ],
    run: async (context, command) => {
      const [name = "", args = "{}"] = command.args;
      return (await import("../tools/call-tool.ts")).callTool(context, name, args);
    },
  });

  define(tools, {
    name: "pending",
    summary: "list the writes that wait for an operator: new ones, and changed ones",
    more: `Their calls are refused until then. ${OPERATOR}`,
    audience: "approvals",
    examples: ["toolbus tools pending", "toolbus tools pending --all", "toolbus tools pending --server memory"],
    run: async (context, command) =>
      (await import("../writes/list-writes.ts")).listWrites(context, { ...command.opts<PendingOptions>(), server: serverIn(command) }),
  })
    .option("--server <server>", "only the writes of this MCP server, and how many are in which state")
    .option("--all", "every registered write, whatever its state");

  define(tools, {
    name: "enable [tool]",
    summary: "enable a registered write, or all of an MCP server, exactly as shown",
    more: `Shows it and asks y/N; without a terminal, --hash and --yes are needed. ${OPERATOR}`,
    audience: "approvals",
    examples: [
      "toolbus tools enable file_risk_report",
      `toolbus tools enable file_risk_report --hash ${HASH} --yes`,
      "toolbus tools enable --server memory",
    ],
    run: async (context, command) => {
      const { tool, server } = toolOrServer(command, { one: ["toolset"], all: ["disabled"] });
      if (server !== undefined)
        return (await import("../mcp/enable-server.ts")).enableServer(context, server, command.opts<EnableServerOptions>());
      return (await import("../writes/enable-write.ts")).enableWrite(context, tool, command.opts<EnableOptions>());
    },
  })
    .option(...SERVER)
    .option("--hash <hash>", "this definition, as tools show --diff prints it")
    .option("--toolset <toolset>", "the one that this toolset registered")
    .option("--accept-weaker", "even if it is less strict than the enabled definition")
    .option("--disabled", "of a server: also the writes that are switched off")
    .option("--yes", "do not ask");

  define(tools, {
    name: "disable [tool]",
    summary: "switch a write, or all of an MCP server, off: no version of it gets grants",
    more: `Asks y/N if there is a terminal. ${OPERATOR}`,
    audience: "approvals",
    examples: ["toolbus tools disable file_risk_report", "toolbus tools disable --server memory --yes --json"],
    run: async (context, command) => {
      const { tool, server } = toolOrServer(command);
      if (server !== undefined)
        return (await import("../mcp/disable-server.ts")).disableServer(context, server, command.opts<DisableOptions>());
      return (await import("../writes/disable-write.ts")).disableWrite(context, tool, command.opts<DisableOptions>());
    },
  })
    .option(...SERVER)
    .option("--yes", "do not ask");

  define(tools, {
    name: "new <toolset>",
    summary: "write the project of a worker of your own, with a read, a write and a test",
    more: "The folder may be anywhere, and links the tool kit of this checkout. It must be new or empty. No server is contacted.",
    audience: "gateway",
    examples: ["toolbus tools new stock --directory ../stock-worker", "toolbus tools new stock --json"],
    run: async (context, command) => {
      const [name = ""] = command.args;
      return (await import("../tools/new-worker.ts")).newWorker(context, name, command.opts<NewWorkerOptions>());
    },
  }).option("--directory <folder>", "where it is written (default: the name with -worker, in this folder)");

  define(tools, {
    name: "stamp",
    summary: "print which tools, limits and high tiers a deployment is made for",
    more:
      "Agents and workers compare themselves with the stamp in REGISTRY_STAMP_FILE. Without --running, no server is contacted: the tools are those of " +
      "this build. The agent's rounds are those of its profiles, with PROFILES_DIR.",
    audience: "gateway",
    examples: ["toolbus tools stamp", "toolbus tools stamp --toolsets release,guides --kubernetes", "toolbus tools stamp --running --json"],
    run: async (context, command) => (await import("../tools/stamp-tools.ts")).stampTools(context, command.opts<StampOptions>()),
  })
    .option("--toolsets <names>", "the toolsets to stamp, separated by commas (default release; with --running: all but mcp)")
    .option("--running", "stamp the registered tools of a running system")
    .option("--kubernetes", "print a ConfigMap for kubectl apply")
    .option("--out <file>", "write the stamp to this file");

  define(tools, {
    name: "tier [tool] [tier]",
    summary: "set the lowest tier for the calls of an enabled write, or of all of an MCP server",
    more: `The tiers are low, medium, high and critical. Never below the tier of its own definition; naming that tier undoes a raise. ${OPERATOR}`,
    audience: "approvals",
    examples: [
      "toolbus tools tier file_risk_report critical",
      "toolbus tools tier file_risk_report high --accept-weaker --json",
      "toolbus tools tier --server memory critical",
    ],
    run: async (context, command) => {
      const { tool, server, rest } = toolOrServer(command, { more: "a tier", all: ["yes"] });
      const { raiseTier, tierOf } = await import("../writes/raise-tier.ts");
      const tier = tierOf(rest);
      if (server !== undefined)
        return (await import("../mcp/tier-server.ts")).setServerTier(context, server, tier, command.opts<TierOptions>());
      return raiseTier(context, tool, tier, command.opts<TierOptions>());
    },
  })
    .option(...SERVER)
    .option("--accept-weaker", "even if that is lower than the tier that it was raised to")
    .option("--yes", "of a server: do not ask before tiers fall");

  define(tools, {
    name: "remove [tool]",
    summary: "remove the registration of a tool, or of all tools of an MCP server",
    more:
      `Works also when its workers are gone. A worker of operations does it within seconds. Asks y/N if there is a terminal; a server needs --yes without ` +
      `one, and a key of the gateway, which lists its tools. ${OPERATOR}`,
    audience: "approvals",
    examples: [
      "toolbus tools remove old_report",
      "toolbus tools remove old_report --version 2 --yes --json",
      "toolbus tools remove --server memory",
    ],
    run: async (context, command) => {
      const { tool, server } = toolOrServer(command, { one: ["version", "toolset"] });
      if (server !== undefined)
        return (await import("../mcp/remove-server-tools.ts")).removeServerTools(context, server, command.opts<RemoveOptions>());
      return (await import("../writes/remove-tool.ts")).removeTool(context, tool, command.opts<RemoveOptions>());
    },
  })
    .option(...SERVER)
    .option("--version <version>", "this version, if several are registered")
    .option("--toolset <toolset>", "the one of this toolset")
    .option("--yes", "do not ask");
}
