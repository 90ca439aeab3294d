import { readDeadLetter } from "../http/answers.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";

/** Asks the gateway to replay a dead letter. A dead letter is replayed only once, so a second request reports its state. */
export async function replayDeadLetter(context: Context, typed: string | undefined): Promise<ExitCode> {
  const id = idOf("dead letter", typed);
  const gateway = await context.gatewayForOperators();
  const headers = { "idempotency-key": context.around.newId() };
  const letter = readDeadLetter(await gateway.post(`/v1/dead-letters/${id}/replay`, {}, headers));
  const { output } = context;
  const { state, replay, replayBy } = letter;
  if (output.json) output.document(letter);
  else if (state === "replayed")
    output.lines([`${id} was replayed before, by ${safeText(replay?.by ?? "somebody")}: it is not replayed again.`]);
  else {
    const does = replayBy === "call" ? "the agent looks at its call" : "its message goes to its queue again";
    output.lines([`${id} is being replayed, ${does}: ${SELF} dead-letters show ${id}`]);
  }
  return EXIT.ok;
}
