// A small MCP server on the SDK, for the benchmark of the bridge's start. Its argument says how many tools it has.
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const count = Number(process.argv[2] ?? 20);

serveStdio(() => {
  const server = new McpServer({ name: "listing", version: "1.0.0" });
  for (let n = 0; n < count; n++)
    server.registerTool(`tool_${n}`, { description: `Does the thing number ${n} with what the server has.` }, async () => ({
      content: [{ type: "text", text: `${n}` }],
    }));
  return server;
});
