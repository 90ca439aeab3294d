import {
  attributes,
  failedResult,
  isSameServer,
  mcpServerOf,
  type Message,
  type ToolDefinition,
  type ToolResult,
} from "@toolbus/contracts";
import { cleanText } from "../tool/tool-problem.ts";

/**
 * Returns why a call is refused whose header names another MCP server than that of its tool, or null. A call may leave the header out. The older name
 * of the header counts too. Case does not matter.
 */
export function otherServer(
  { attributes: named }: Pick<Message, "attributes">,
  definition: Pick<ToolDefinition, "name" | "source">,
): ToolResult | null {
  const server = mcpServerOf(definition);
  for (const header of [attributes.mcpServer, attributes.mcpServerAlias]) {
    const written = named[header];
    if (written === undefined || (server !== undefined && isSameServer(written, server))) continue;
    const belongs = server === undefined ? "belongs to no MCP server" : `belongs to the MCP server "${server}"`;
    return failedResult(
      "invalid_arguments",
      `The header ${header} names "${cleanText(written, 100)}", but the tool "${definition.name}" ${belongs}: correct the header, or leave it out.`,
    );
  }
  return null;
}
