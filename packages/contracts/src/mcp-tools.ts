import type { ToolDefinition } from "./tool-definition.ts";

/** The toolset of the MCP bridge. It has the tools of all MCP servers and the bridge's own tools. */
export const MCP_TOOLSET = "mcp";

/** The bridge's own tool with which a model calls any tool by the names of its server and of the tool. */
export const INVOKE_TOOL = "mcp_invoke_tool";

interface Registered {
  readonly toolset: string;
  readonly definition: Pick<ToolDefinition, "name" | "source">;
}

/** Returns the MCP server of a foreign tool, or undefined for any other tool. */
export function mcpServerOf({ source }: Pick<ToolDefinition, "source">): string | undefined {
  return source.startsWith(FOREIGN) ? source.slice(FOREIGN.length) : undefined;
}

/** Returns whether this is one of the bridge's own tools, which help a model to find and to call the other tools. */
export function isBridgeTool({ toolset, definition }: Registered): boolean {
  return toolset === MCP_TOOLSET && mcpServerOf(definition) === undefined;
}

/** Returns whether a call of this tool is really a call of the tool that its arguments name. A foreign tool of the same name is not meant. */
export function callsByName(registered: Registered): boolean {
  return isBridgeTool(registered) && registered.definition.name === INVOKE_TOOL;
}

/** Returns whether two names mean the same MCP server. Case does not matter. */
export function isSameServer(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

const FOREIGN = "mcp:";
