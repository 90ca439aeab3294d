import { serverPart, type ToolView } from "@toolbus/contracts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { toolLines } from "../tools/show-tool.ts";
import { registeredLines } from "../writes/write-lines.ts";
import { choiceOf, hashOf } from "./enable-server.ts";
import { toolsOfServer } from "./server-tools.ts";
import { countsLine, countsOf, type ServerWrite, writesOfServer } from "./server-writes.ts";

/** Shows every registered tool of an MCP server: what it does and its parameters. */
export async function showServer(context: Context, typed: string): Promise<ExitCode> {
  const { server, tools } = await toolsOfServer(await context.gateway(), typed);
  const { output, around } = context;
  const counts = { tools: tools.length, reads: tools.filter(({ kind }) => kind !== "write").length, writes: writesIn(tools) };
  if (output.json) output.document({ server, counts, tools });
  else
    output.lines([
      safeText(`${server}: ${counts.tools} tools, ${counts.writes} of them writes`),
      ...safeValue(tools).flatMap((tool) => ["", ...toolLines(tool, around.now())]),
    ]);
  return EXIT.ok;
}

/** Shows each registered write of an MCP server, how it differs from the enabled definition, and the command that enables all that wait. */
export async function showServerWrites(context: Context, typed: string): Promise<ExitCode> {
  const { server, writes } = await writesOfServer(await context.approvals(), typed);
  const { chosen, weaker } = choiceOf(writes, {});
  const hash = chosen.length === 0 ? null : hashOf(chosen);
  const { output } = context;
  if (output.json) output.document({ server, counts: countsOf(writes), hash, writes });
  else
    output.lines([
      countsLine(server, writes),
      ...safeValue(writes).flatMap((one) => ["", ...writeLines(one)]),
      ...(hash === null
        ? []
        : ["", "To enable what you checked:", `  ${SELF} tools enable --server ${serverPart(server)} --hash ${hash} --yes`]),
      ...safeValue(weaker).map(({ tool }) => `It leaves out ${tool}, which is less strict than the enabled definition.`),
    ]);
  return EXIT.ok;
}

/** Returns the lines of one write: its state, and its definition or the differences from the enabled one. */
function writeLines(one: ServerWrite): string[] {
  const { tool, state, enabled } = one;
  return [`${tool}: ${one.quarantined ? "quarantined" : state}`, ...registeredLines(one, enabled !== null)];
}

function writesIn(tools: readonly ToolView[]): number {
  return tools.filter(({ kind }) => kind === "write").length;
}
