import { counted } from "@toolbus/contracts";
import { readRemoval } from "../http/answers.ts";
import { confirm, isTerminal } from "../terminal/confirm.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { endOf, forEachTool } from "./each-write.ts";
import { toolsOfServer } from "./server-tools.ts";

/**
 * Asks approvals to remove the registration of every tool of an MCP server, of any kind. Without a terminal, it needs --yes, because the server's
 * tools do not come back before the bridge registers them again.
 */
export async function removeServerTools(context: Context, typed: string, { yes }: { readonly yes?: true }): Promise<ExitCode> {
  const service = await context.approvals();
  const { server, tools } = await toolsOfServer(await context.gateway(), typed);
  if (!yes) {
    if (!isTerminal(context)) throw new Failure(EXIT.usage, "There is no terminal to ask at: repeat this with --yes.");
    await confirm(context, {
      lines: safeValue(tools).map(({ name, version, kind }) => `  ${name}@${version}, a ${kind}`),
      question: `remove the registration of ${counted(tools.length, "tool")} of ${server}?`,
      otherwise: "repeat this with --yes.",
      declined: "Nothing was removed.",
    });
  }
  let served = 0;
  const named = tools.map(({ name: tool, version, toolset }) => ({ tool, version, toolset }));
  const outcomes = await forEachTool(named, async ({ tool, version, toolset }) => {
    const removal = readRemoval(await service.post(`/v1/tools/${encodeURIComponent(tool)}/remove`, { version, toolset }));
    if (removal.served) served += 1;
  });
  return endOf(context, outcomes, {
    document: { server, removed: outcomes.done, served },
    lines: [
      ...safeValue(outcomes.done).map(({ tool, version }) => `operations removes ${tool}@${version} within seconds.`),
      ...(served === 0
        ? []
        : [
            safeText(
              `A bridge still serves ${counted(served, "tool")} of ${server}, and registers them again when it next starts. Remove the server from its file first.`,
            ),
          ]),
    ],
  });
}
