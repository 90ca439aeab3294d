// Serves six reads of OpenRouter's API to MCP clients. Start it with: npx node examples/openrouter-mcp/src/main.ts
import { once } from "node:events";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { startHttp } from "./http-server.ts";
import { openRouter } from "./open-router.ts";
import { readSettings, type Settings, USAGE } from "./settings.ts";
import { openRouterServer } from "./tools.ts";

const read = readSettings(process.argv.slice(2), process.env);
if (!read.ok) {
  console.error(`${read.message}\n\n${USAGE}`);
  process.exitCode = 2;
} else if (read.value === "help") {
  console.log(USAGE);
} else {
  await serve(read.value).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}

async function serve({ api: options, listening }: Settings): Promise<void> {
  const api = openRouter(options);
  if (listening === "stdio") {
    // Standard output belongs to the protocol, so the program prints nothing there. It ends when its input ends.
    serveStdio(() => openRouterServer(api));
    return;
  }
  const server = await startHttp(api, listening);
  console.error(`The MCP server listens on ${server.url}. Stop with Ctrl-C.`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await server.stop();
}
