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

/**
 * Returns the server's part of a tool's registered name (`<server>__<tool>`). It is in snake case and begins with a letter. Names that differ only in
 * punctuation have the same part.
 */
export function serverPart(server: string): string {
  const part = snakeCase(server);
  return /^[a-z]/.test(part) ? part : `mcp_${part}`;
}

/** Returns whether two servers cannot exist beside each other, because their names mean the same server or their tools would get the same names. */
export function namesCollide(a: string, b: string): boolean {
  return serverPart(a) === serverPart(b) || isSameServer(a, b);
}

/** Converts a text to snake case. Several underscores become one, because two underscores only separate the server and the tool. */
export function snakeCase(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

const FOREIGN = "mcp:";
