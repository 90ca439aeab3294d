import { counted, type DeadLetterView } from "@toolbus/contracts";
import { readDeadLetter } from "../http/answers.ts";
import { spanOf } from "../terminal/duration.ts";
import { wrapped, WIDTH } from "../terminal/lines.ts";
import { safeValue } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { idOf } from "../toolbus/ids.ts";
import { SELF } from "../toolbus/self.ts";

/** Shows a dead letter: why the queue gave up its message, whether somebody replayed it, and the message itself. */
export async function showDeadLetter(context: Context, typed: string | undefined): Promise<ExitCode> {
  const id = idOf("dead letter", typed);
  const gateway = await context.gatewayForOperators();
  const letter = readDeadLetter(await gateway.get(`/v1/dead-letters/${id}`));
  const { output, around } = context;
  if (output.json) output.document(letter);
  else output.lines(letterLines(safeValue(letter), around.now()));
  return EXIT.ok;
}

function letterLines(letter: DeadLetterView, now: number): string[] {
  const { message } = letter;
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ["letter", letter.id],
    ["queue", letter.queue],
    ["state", letter.state],
    ["reason", letter.reason],
    ["delivered", counted(letter.deliveries, "time")],
    ...letter.history.map(({ at, reason }) => ["tried", `${spanOf(now - at)} ago: ${reason}`] as const),
    ["kept", `${spanOf(now - letter.keptAt)} ago, for another ${spanOf(letter.expiresAt - now)}`],
    ["run", letter.runId],
    ["call", letter.callId],
    ["replay of", letter.former],
    ["dismissed", letter.dismissed && `${spanOf(now - letter.dismissed.at)} ago, by ${letter.dismissed.by}`],
    ["message", `${message.id} (${message.type})`],
    ["from", `${message.source}, ${message.time}`],
    ...Object.entries(message.attributes).map(([name, value]) => ["attribute", `${name}: ${value}`] as const),
  ];
  return [
    ...fields.flatMap(([name, value]) => (value === undefined ? [] : field(name, value))),
    "",
    // The output contains the body unchanged, because a line break may be the reason why no service could read the body.
    message.body === "" ? "(an empty body)" : message.body,
    ...(letter.cut ? ["(truncated: it was too large to keep in full)"] : []),
    "",
    ...wrapped(outlook(letter, now), WIDTH),
  ];
}

/** Returns a field as lines. Received text never begins a line, so nobody can mistake this text for another field. */
function field(name: string, value: string): string[] {
  const [first = "", ...others] = wrapped(`${INDENT}${value.replaceAll("\n", "\\x0a")}`, WIDTH);
  return [`${name.padEnd(INDENT.length)}${first.slice(INDENT.length)}`, ...others];
}

const INDENT = " ".repeat(14);

/** Returns a sentence that says how the dead letter was replayed, or what a replay would do. */
function outlook({ id, state, replayBy, whyNot, replay }: DeadLetterView, now: number): string {
  if (state === "replayed")
    return `It was replayed ${spanOf(now - (replay?.at ?? now))} ago by ${replay?.by ?? "somebody"}, as ${replay?.messageId ?? "a message"}.`;
  if (state === "replaying") return `${replay?.by ?? "Somebody"} asked for its replay, which is under way.`;
  const leave = state === "open" ? ` If nothing is left to do: ${SELF} dead-letters dismiss ${id}` : "";
  if (replayBy === "none" || whyNot !== undefined) return `It cannot be replayed: ${whyNot ?? "nothing of it is left."}${leave}`;
  switch (replayBy) {
    case "publish":
      return `To send it to its queue again: ${SELF} dead-letters replay ${id}`;
    case "call":
      return `To have the agent look at its call at once: ${SELF} dead-letters replay ${id}`;
  }
}
