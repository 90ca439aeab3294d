import { counted } from "@toolbus/contracts";
import { approvalEntry } from "../approvals/approval-entry.ts";
import { readEra } from "../http/answers.ts";
import { terminalWidth } from "../terminal/lines.ts";
import { safeText, safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { type HeldState, type HeldWrites, heldWrites } from "./held-writes.ts";

/** Lists the writes that somebody has to look at before the held shards resume. */
export async function showHeld(context: Context): Promise<ExitCode> {
  const era = readEra(await (await context.approvals()).get("/v1/era"));
  const held = await heldWrites(context, era, context.around.now());
  const { output } = context;
  if (output.json) {
    output.document({ era: era.era, ...held });
    return EXIT.ok;
  }
  if (era.lost.some((one) => one.held)) output.lines(heldLines(context, held));
  else output.note("No shard is held, so no write waits.");
  return EXIT.ok;
}

/** Returns an entry for each held write, and what to do about them. */
export function heldLines({ around, output }: Pick<Context, "around" | "output">, { writes, unchecked }: HeldWrites): string[] {
  if (writes.length === 0)
    return ["The store knows no write that is held. It does not know the writes that were requested after its copy."];
  const width = terminalWidth(output.out);
  const entries = safeValue(writes).flatMap(({ approval, state }) => [
    ...approvalEntry(approval, around.now(), width),
    `  ${inWords(state)}`,
    "",
  ]);
  return [
    ...entries,
    ...(unchecked === null ? [] : [safeText(`The gateway could not say which of them have a result: ${unchecked}`)]),
    `${counted(writes.length, "write")} may have happened in the time that the store has lost. Look at ${writes.length === 1 ? "its target" : "their targets"} before you resume.`,
  ];
}

function inWords(state: HeldState): string {
  switch (state) {
    case "waits":
      return "The store does not know whether people decided after its copy. If it already happened, deny it.";
    case "expired":
      return "Nobody decided about it since the copy was restored. It may have been approved and done before that.";
    case "open":
      return "It has no result in this store. While it is held, it does not begin, and ends with an unknown outcome.";
    case "unknown":
      return "Its result says that nobody knows whether it happened.";
    case "unchecked":
      return "It may have a result that this list does not know.";
  }
}
