import { counted } from "@toolbus/contracts";
import { readWrite } from "../http/answers.ts";
import { confirm, isTerminal } from "../terminal/confirm.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import type { ExitCode } from "../toolbus/exit-codes.ts";
import type { DisableOptions } from "../writes/disable-write.ts";
import { endOf, forEachTool } from "./each-write.ts";
import { writesOfServer } from "./server-writes.ts";

/**
 * Disables every enabled write of an MCP server. Without a terminal it does not ask for a confirmation, because it must not delay an operator in an
 * emergency.
 */
export async function disableServer(context: Context, typed: string, { yes }: DisableOptions): Promise<ExitCode> {
  const service = await context.approvals();
  const { server, writes } = await writesOfServer(service, typed);
  const on = [...new Set(writes.filter(({ enabled }) => enabled?.enabled).map(({ tool }) => tool))].map((tool) => ({ tool }));
  if (!yes && on.length > 0 && isTerminal(context))
    await confirm(context, {
      lines: safeValue(on).map(({ tool }) => `  ${tool}`),
      question: `switch ${counted(on.length, "write")} of ${server} off?`,
      otherwise: "repeat this with --yes.",
      declined: "Nothing was switched off.",
    });
  const outcomes = await forEachTool(on, async ({ tool }) =>
    readWrite(await service.post(`/v1/writes/${encodeURIComponent(tool)}/disable`, {})),
  );
  const off = outcomes.done.map(({ tool }) => tool);
  return endOf(context, outcomes, {
    document: { server, disabled: off },
    lines:
      on.length === 0
        ? [safeText(`No write of ${server} is enabled.`)]
        : [
            ...safeValue(off).map((tool) => `${tool} is switched off: no version of it gets grants.`),
            ...(off.length === 0 ? [] : ["Existing grants expire within minutes."]),
          ],
  });
}
