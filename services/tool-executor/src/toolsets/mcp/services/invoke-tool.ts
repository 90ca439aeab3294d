import { INVOKE_TOOL } from "@toolbus/contracts";
import { defineTool, type Tool, toolError } from "@toolbus/tool-kit";

/**
 * Returns the tool with which a model calls any tool of a service by name. The bridge only declares it. The agent turns each call of it into a call of
 * the named tool, which has its own kind, tier, grant and ledger. So a call that reaches a worker did not come from such an agent, and is refused.
 */
export function invokeTool(): Tool {
  return defineTool({
    name: INVOKE_TOOL,
    kind: "read",
    description: [
      "Calls one tool of an MCP server or toolset by name, also a tool that is not in your list of tools.",
      'Input: server_name, such as "mcp:memory" or "memory"; tool_name, such as "read_graph", each up to 130 characters; arguments, an object as mcp_get_service_details describes it. Case does not matter.',
      "Output: what the named tool returns. A write still waits for its approval.",
      "Do not use it for a tool that is in your list of tools: call that tool itself.",
    ].join("\n"),
    parameters: {
      type: "object",
      properties: {
        server_name: {
          type: "string",
          minLength: 1,
          maxLength: 130,
          description: "The id of a service, with or without mcp: or toolset:",
        },
        tool_name: { type: "string", minLength: 1, maxLength: 130, description: "The tool of the service" },
        arguments: { type: "object", additionalProperties: true, description: "The arguments of the tool, by name" },
      },
      required: ["server_name", "tool_name"],
      additionalProperties: false,
    },
    run: () =>
      toolError(
        "call_by_name_refused",
        `A worker does not run "${INVOKE_TOOL}": the agent turns it into a call of the named tool. Call the tool itself, as <server>__<tool>.`,
      ),
  });
}
