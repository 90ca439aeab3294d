import { counted, type RegisteredWrite } from "@toolbus/contracts";
import { readWrite } from "../http/answers.ts";
import { confirm, isTerminal } from "../terminal/confirm.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import type { DisableOptions } from "../writes/disable-write.ts";
import { writesOfServer } from "./server-writes.ts";

/**
 * Disables every enabled write of an MCP server. Without a terminal it does not ask for a confirmation, because it must not delay an operator in an
 * emergency.
 */
export async function disableServer(context: Context, server: string, { yes }: DisableOptions): Promise<ExitCode> {
  const service = await context.approvals();
  const tools = [...new Set((await writesOfServer(service, server)).filter(isOn).map(({ tool }) => tool))];
  if (!yes && tools.length > 0 && isTerminal(context))
    await confirm(context, {
      lines: safeValue(tools).map((tool) => `  ${tool}`),
      question: `switch ${counted(tools.length, "write")} of ${server} off?`,
      otherwise: "repeat this with --yes.",
      declined: "Nothing was switched off.",
    });
  for (const tool of tools) readWrite(await service.post(`/v1/writes/${encodeURIComponent(tool)}/disable`, {}));
  const { output } = context;
  if (output.json) output.document({ disabled: tools });
  else if (tools.length === 0) output.note("No write of this server is enabled.");
  else
    output.lines([
      ...safeValue(tools).map((tool) => `${tool} is switched off: no version of it gets grants.`),
      "Existing grants expire within minutes.",
    ]);
  return EXIT.ok;
}

/** Returns whether a version of the write is enabled. A changed definition waits, while the one that it replaces is still enabled. */
function isOn({ state }: Pick<RegisteredWrite, "state">): boolean {
  return state === "enabled" || state === "changed" || state === "superseded" || state === "damaged";
}
