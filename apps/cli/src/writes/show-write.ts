import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { findWrite } from "./find-write.ts";
import { isWaiting } from "./list-writes.ts";
import { writeLines } from "./write-lines.ts";

/** Shows the enabled definition of a write, the registered ones, and the difference, with the command to enable one. */
export async function showWrite(context: Context, typed: string): Promise<ExitCode> {
  const write = await findWrite(await context.approvals(), typed);
  const { output } = context;
  if (output.json) {
    output.document(write);
    return EXIT.ok;
  }
  const safe = safeValue(write);
  const waiting = safe.registered.filter(isWaiting);
  const commands = waiting.map(
    ({ tool, hash, weaker }) => `  ${SELF} tools enable ${tool} --hash ${hash}${weaker === null ? "" : " --accept-weaker"}`,
  );
  output.lines([...writeLines(safe), ...(commands.length === 0 ? [] : ["", "To enable what you checked:", ...commands])]);
  return EXIT.ok;
}
