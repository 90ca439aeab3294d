import { readDeletedConversation } from "../http/answers.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";

export interface DeleteOptions {
  readonly yes?: true;
}

/** Deletes one of the caller's conversations, and shows what the gateway removes and what it keeps. */
export async function deleteConversation(context: Context, typed: string, { yes }: DeleteOptions): Promise<ExitCode> {
  const id = idOf("conversation", typed);
  const gateway = await context.gateway();
  if (!yes)
    await confirm(context, {
      lines: [],
      question: `delete the messages of ${id}?`,
      otherwise: "repeat this with --yes.",
      declined: "Nothing was deleted.",
    });
  const deleted = readDeletedConversation(await gateway.delete(`/v1/conversations/${id}`));
  const { output } = context;
  if (output.json) output.document(deleted);
  else {
    const { removed, kept } = safeValue(deleted);
    output.lines([
      `${id} is deleted.`,
      ...removed.map((what) => `  removed  ${what}`),
      ...kept.map(({ what, why }) => `  kept     ${what}: ${why}`),
    ]);
  }
  return EXIT.ok;
}
