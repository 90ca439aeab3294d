import { MCP_TOOLSET, mcpServerOf, namesCollide, type ToolView } from "@toolbus/contracts";
import { readTools } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { unknownServer } from "./server-writes.ts";

/** Returns the registered tools of an MCP server, of every kind. Case and punctuation do not matter. Throws a Failure if there are none. */
export async function toolsOfServer(
  gateway: Client,
  typed: string,
): Promise<{ readonly server: string; readonly tools: readonly ToolView[] }> {
  const { tools } = readTools(await gateway.get("/v1/tools"));
  const foreign = tools.flatMap((tool) => {
    const server = tool.toolset === MCP_TOOLSET ? mcpServerOf(tool) : undefined;
    return server === undefined ? [] : [{ server, tool }];
  });
  const own = foreign.filter(({ server }) => namesCollide(server, typed));
  const [first] = own;
  if (first) return { server: first.server, tools: own.map(({ tool }) => tool) };
  throw unknownServer(`No tool of an MCP server "${typed.slice(0, 80)}" is registered.`, {
    kind: "tools",
    servers: [...new Set(foreign.map(({ server }) => server))].toSorted(),
  });
}
