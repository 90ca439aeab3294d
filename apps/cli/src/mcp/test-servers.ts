import { readFile } from "node:fs/promises";
import path from "node:path";
import { type ProbedServer, type ProbedTool, probeServers } from "@toolbus/all-in-one/mcp";
import { counted } from "@toolbus/contracts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { serversFileName } from "./servers-file.ts";

/** The time limit of the handshake and of the list of tools of one server. A first `npx -y …` also installs the server. */
const STEP_MS = 60_000;

/** Tries each enabled MCP server of a file and prints its tools as the bridge would register them, or what is wrong with the server or a tool. */
export async function testServers(context: Context, typed: string | undefined): Promise<ExitCode> {
  const { around, output, signal } = context;
  const name = serversFileName(context, typed);
  const text = await readFile(path.resolve(around.cwd, name), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Failure(EXIT.usage, `The file of MCP servers ${name} cannot be read (${error.code ?? "unknown"}): name a file that exists.`, {
      cause: error,
    });
  });
  output.note(`Trying the servers of ${name}…`);
  const probed = await probeServers(text, { file: name, env: around.env, cwd: around.cwd, stepMs: STEP_MS, signal });
  const ok = probed.problems.length === 0 && probed.servers.every((server) => server.ok && server.leftOut.length === 0);
  if (output.json) output.document({ ok, ...probed });
  else {
    output.lines([...probed.problems.map((problem) => `fail  ${safeText(problem)}`), ...safeValue(probed.servers).flatMap(serverLines)]);
    if (probed.servers.length === 0 && ok) output.note(`${name} names no server that is enabled.`);
  }
  return ok ? EXIT.ok : EXIT.failed;
}

function serverLines(server: ProbedServer): readonly string[] {
  if (!server.ok) return [`fail  ${server.name}: ${server.problem}`];
  const { name, protocol, tools, leftOut } = server;
  return [
    `ok    ${name}: ${counted(tools.length, "tool")}, protocol ${protocol}`,
    ...tools.map(toolLine),
    ...leftOut.map(({ original, reason }) => `fail  ${name}: the tool "${original}" is left out: ${reason}`),
  ];
}

function toolLine({ name, kind, tier, fingerprint }: ProbedTool): string {
  return `      ${name}  ${kind === "write" ? `write, ${tier}` : kind}  fingerprint ${fingerprint}`;
}
