import type { ToolView } from "@toolbus/contracts";
import { readTools } from "../http/answers.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";

interface ListedServer {
  readonly server: string;
  readonly tools: number;
  readonly writes: number;
  readonly state: ToolView["availability"];
  /** Why the server's tools cannot be used now. */
  readonly reason?: string;
}

/** Shows the MCP servers whose tools are registered, and whether they answer. */
export async function listServers(context: Context): Promise<ExitCode> {
  const { output } = context;
  const { tools } = readTools(await (await context.gateway()).get("/v1/tools"));
  const servers = serversOf(tools);
  if (output.json) output.document({ servers });
  else if (servers.length === 0)
    output.note("No tool of an MCP server is registered: MCP_CONFIG_FILE names the file of servers (docs/mcp.md).");
  else
    output.lines(
      table(
        ["SERVER", "TOOLS", "WRITES", "STATE"],
        safeValue(servers).map(({ server, tools: count, writes, state, reason }) => [
          server,
          String(count),
          String(writes),
          reason === undefined ? state : `${state}: ${reason}`,
        ]),
      ),
    );
  if (!output.json) output.note(UNSEEN);
  return EXIT.ok;
}

/** The store has only tools, so a server that never listed any is known to its worker alone. */
const UNSEEN =
  '(A server that has never listed a tool is not in this list: the log of the worker says why, and so does "mcp test" with its command.)';

/** Returns the servers by name. A server is ready if one of its tools is. */
export function serversOf(tools: readonly ToolView[]): readonly ListedServer[] {
  const foreign = Map.groupBy(
    tools.filter(({ source }) => source.startsWith("mcp:")),
    ({ source }) => source.slice("mcp:".length),
  );
  return [...foreign]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([server, own]) => {
      const state = (["ready", "unavailable"] as const).find((one) => own.some(({ availability }) => availability === one)) ?? "asleep";
      const reason = state === "unavailable" ? own.find(({ unavailable }) => unavailable)?.unavailable?.reason : undefined;
      const writes = own.filter(({ kind }) => kind === "write").length;
      return { server, tools: own.length, writes, state, ...(reason === undefined ? {} : { reason }) };
    });
}
