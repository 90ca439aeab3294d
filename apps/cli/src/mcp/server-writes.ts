import type { RegisteredWrite } from "@toolbus/contracts";
import { readWrite, readWrites } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { safeText } from "../terminal/safe-text.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";

/** Returns the registered writes of an MCP server. Case does not matter. Throws a Failure if no write of the server is registered. */
export async function writesOfServer(service: Client, server: string): Promise<readonly RegisteredWrite[]> {
  const { writes } = readWrites(await service.get("/v1/writes"));
  const found: RegisteredWrite[] = [];
  const servers = new Set<string>();
  for (const tool of new Set(writes.filter(({ toolset }) => toolset === "mcp").map((write) => write.tool))) {
    const { registered } = readWrite(await service.get(`/v1/writes/${encodeURIComponent(tool)}`));
    for (const one of registered) {
      servers.add(one.definition.source);
      if (one.definition.source.toLowerCase() === `mcp:${server.toLowerCase()}`) found.push(one);
    }
  }
  if (found.length > 0) return found;
  const known = [...servers].map((source) => source.slice("mcp:".length)).join(", ");
  throw new Failure(
    EXIT.notFound,
    safeText(
      `No write of an MCP server "${server.slice(0, 80)}" is registered. ${known === "" ? `"${SELF} mcp list" shows the servers.` : `There are writes of: ${known}.`}`,
    ),
  );
}
