import { type DeadLetterView } from "@toolbus/contracts";
import { readDeadLetter } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";

/** Dismisses dead letters in turn. The first one that cannot be dismissed ends the command, and those before it stay dismissed. */
export async function dismissDeadLetters(context: Context, typed: readonly string[]): Promise<ExitCode> {
  const ids = typed.map((one) => idOf("dead letter", one));
  const gateway = await context.gatewayForOperators();
  const { output } = context;
  const deadLetters: DeadLetterView[] = [];
  for (const id of ids) {
    const letter = readDeadLetter(await gateway.post(`/v1/dead-letters/${id}/dismiss`, {}));
    deadLetters.push(letter);
    if (!output.json) output.lines([`${id} is dismissed, by ${safeText(letter.dismissed?.by ?? "somebody")}.`]);
  }
  if (output.json) output.document({ deadLetters });
  return EXIT.ok;
}
