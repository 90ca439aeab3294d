import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";

/** `toolbus tools …`: what is registered, and one call of it. */
export function addTools(program: Command, define: Define): void {
  const tools = group(program, "tools", "list and show the tools, and call one");

  define(tools, {
    name: "list",
    summary: "list what is registered, and whether a worker is there",
    audience: "gateway",
    examples: ["toolbus tools list", "toolbus tools list --json"],
    run: async (context) => (await import("../tools/list-tools.ts")).listTools(context),
  });

  define(tools, {
    name: "show <tool>",
    summary: "show what a tool does and what it takes",
    audience: "gateway",
    examples: ["toolbus tools show get_release_summary", "toolbus tools show get_release_summary --json"],
    run: async (context, command) => (await import("../tools/show-tool.ts")).showTool(context, command.args[0] ?? ""),
  });

  define(tools, {
    name: "call <tool> [arguments]",
    summary: "call a tool as an agent would, and print its result",
    more: "A write that needs a person waits until somebody has decided. No model takes part, and no key for one is needed.",
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
}
