import { readWrite } from "../http/answers.ts";
import { confirm, isTerminal } from "../terminal/confirm.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { findWrite } from "./find-write.ts";
import { writeLines } from "./write-lines.ts";

export interface DisableOptions {
  readonly yes?: true;
}

/**
 * Disables every version of a write. Without a terminal it does not ask for a confirmation, because it must not delay an operator in an emergency.
 */
export async function disableWrite(context: Context, typed: string, { yes }: DisableOptions): Promise<ExitCode> {
  const service = await context.approvals();
  const write = await findWrite(service, typed);
  if (!yes && write.enabled?.enabled && isTerminal(context))
    await confirm(context, {
      lines: writeLines(safeValue({ ...write, registered: [] })).slice(0, 4),
      question: `switch ${write.tool} off?`,
      otherwise: "repeat this with --yes.",
      declined: "Nothing was switched off.",
    });
  const now = readWrite(await service.post(`/v1/writes/${encodeURIComponent(write.tool)}/disable`, {}));
  const { output } = context;
  if (output.json) output.document(now);
  else output.lines([safeText(`${write.tool} is switched off: no version of it gets grants. Existing grants expire within minutes.`)]);
  return EXIT.ok;
}
