import { serverPart, type WriteSummary } from "@toolbus/contracts";
import { readWrites } from "../http/answers.ts";
import { countsLine, countsOf, writesOfServer } from "../mcp/server-writes.ts";
import { WIDTH, wrapped } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import { table } from "../terminal/table.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";

export interface PendingOptions {
  /** Only the writes of this MCP server. */
  readonly server?: string | undefined;
  readonly all?: true;
}

/**
 * Returns whether a write waits for an operator, because nobody has enabled its definition or pinned its receipt key. A quarantined write does not
 * wait, because nobody can enable it.
 */
export function isWaiting({ state, quarantined }: Pick<WriteSummary, "state" | "quarantined">): boolean {
  return !quarantined && (state === "pending" || state === "changed" || state === "damaged");
}

/** Shows the writes that wait for an operator or are quarantined. With `all` it shows every registered write. */
export async function listWrites(context: Context, { all, server }: PendingOptions): Promise<ExitCode> {
  const service = await context.approvals();
  if (server !== undefined) return listWritesOfServer(context, server, { all });
  const { writes } = readWrites(await service.get("/v1/writes"));
  const shown = writes.filter((write) => all || write.quarantined || isWaiting(write));
  const { output } = context;
  if (output.json) output.document({ writes: shown });
  else if (shown.length === 0)
    output.note(
      writes.length === 0
        ? "No write is registered: a worker registers its tools when it starts."
        : `Nothing waits for an operator: "${SELF} tools pending --all" shows the state of each write.`,
    );
  else output.lines(linesOf(safeValue(shown)));
  return EXIT.ok;
}

/** Shows how many writes of a server are in which state, and those that wait for an operator or are quarantined. */
async function listWritesOfServer(context: Context, typed: string, { all }: { readonly all: PendingOptions["all"] }): Promise<ExitCode> {
  const { server, writes } = await writesOfServer(await context.approvals(), typed);
  const shown = writes.filter((write) => all || write.quarantined || isWaiting(write));
  const { output } = context;
  if (output.json)
    output.document({ server, counts: countsOf(writes), writes: shown.map(({ definition: _, changes: __, ...summary }) => summary) });
  else output.lines([countsLine(server, writes), ...(shown.length === 0 ? [] : ["", ...linesOf(safeValue(shown), serverPart(server))])]);
  return EXIT.ok;
}

function linesOf(writes: readonly WriteSummary[], server?: string): string[] {
  const rows = writes.map((write) => [
    write.tool,
    write.version,
    write.toolset,
    write.tier,
    write.quarantined ? "quarantined" : write.state,
    what(write),
  ]);
  const waiting = writes.find(isWaiting);
  return [
    ...table(["TOOL", "VERSION", "TOOLSET", "TIER", "STATE", ""], rows),
    ...writes.flatMap(({ tool, version, quarantined }) =>
      quarantined ? ["", ...wrapped(`${tool}@${version} is refused at ${quarantined.pointer}: ${quarantined.reason}`, WIDTH)] : [],
    ),
    ...writes.flatMap(({ tool, version, warnings = [] }) =>
      warnings.length === 0 ? [] : ["", ...warnings.flatMap((warning) => wrapped(`! ${tool}@${version}: ${warning}`, WIDTH))],
    ),
    ...(waiting && server !== undefined ? ["", `To check all, then enable them: ${SELF} tools show --server ${server} --diff`] : []),
    ...(waiting && server === undefined ? ["", `To check one, then enable it: ${SELF} tools show ${waiting.tool} --diff`] : []),
  ];
}

function what({ state, weaker, enabled, granted, quarantined }: WriteSummary): string {
  if (quarantined) return "its definition is refused";
  const now = enabled === null ? "" : `version ${enabled.version} is enabled`;
  switch (state) {
    case "pending":
      return "nobody has enabled it";
    case "changed":
      return weaker === null ? now : `${now}; less strict`;
    case "enabled":
      return `by ${enabled?.pinnedBy ?? ""}, tier ${enabled?.tier ?? ""}`;
    case "disabled":
      return `switched off by ${enabled?.pinnedBy ?? ""}`;
    case "superseded":
      return granted ? `${now}; runs that began with this may end` : now;
    case "damaged":
      return "the enabled definition is not what approvals stored";
  }
}
