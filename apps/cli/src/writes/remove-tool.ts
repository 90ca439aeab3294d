import { readRemoval } from "../http/answers.ts";
import { confirm, isTerminal } from "../terminal/confirm.ts";
import { spanOf } from "../terminal/duration.ts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";

export interface RemoveOptions {
  readonly version?: string;
  readonly toolset?: string;
  readonly yes?: true;
}

/** Asks approvals to remove a registration, and says whether a worker would register the tool again. */
export async function removeTool(context: Context, typed: string, { version, toolset, yes }: RemoveOptions): Promise<ExitCode> {
  const service = await context.approvals();
  if (!yes && isTerminal(context))
    await confirm(context, {
      lines: [],
      question: `remove the registration of ${typed}${version === undefined ? "" : `@${version}`}?`,
      otherwise: "repeat this with --yes.",
      declined: "Nothing was removed.",
    });
  const body = { ...(version === undefined ? {} : { version }), ...(toolset === undefined ? {} : { toolset }) };
  const removal = readRemoval(await service.post(`/v1/tools/${encodeURIComponent(typed)}/remove`, body));
  const { output, around } = context;
  if (output.json) output.document(removal);
  else {
    const { tool, version: of, toolset: owner, served, lastSeenAt } = safeValue(removal);
    const again = served
      ? `A worker that serves it was seen ${spanOf(Math.max(0, around.now() - lastSeenAt))} ago: stop it, or it registers the tool again when it next starts.`
      : `No worker of it was seen lately.`;
    output.lines(wrapped(`operations removes ${tool}@${of} of ${owner} within seconds ("${SELF} tools list" shows it). ${again}`, WIDTH));
  }
  return EXIT.ok;
}
