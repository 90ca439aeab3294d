import type { IfActive } from "@toolbus/contracts";
import { followRun } from "../runs/follow-run.ts";
import { exitCodeOf, isCutOff, outcomeOf } from "../runs/run-lines.ts";
import { runScreen } from "../runs/run-screen.ts";
import { endLines } from "../runs/watch-command.ts";
import { keyboard } from "../terminal/keyboard.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { SELF } from "../toolbus/self.ts";
import { callsMade } from "./calls-made.ts";
import { openConversation, sendMessage } from "./send-message.ts";

export interface OneMessage {
  readonly text: string;
  readonly conversationId?: string;
  readonly profile?: string;
  readonly ifActive?: IfActive;
}

/** Sends one message and waits for the answer. It prints the answer on standard output and the progress on standard error. */
export async function sayOnce(context: Context, { text, conversationId: given, profile, ifActive }: OneMessage): Promise<ExitCode> {
  const { output, around, options, signal, colour } = context;
  const { stdin, stdout, stderr, interrupts, newId, now } = around;
  const gateway = await context.gateway();
  const conversationId = given ?? (await openConversation(gateway, profile, newId));
  const run = await sendMessage(gateway, { conversationId, text, ...(ifActive === undefined ? {} : { ifActive }) }, newId);
  const live = stdout.isTTY && !output.json;
  const made = callsMade();
  const { end, interrupted } = await followRun({
    gateway,
    runId: run.runId,
    screen: runScreen({ progress: output.err, text: live ? output.out : null, colour, quiet: options.quiet }),
    signal,
    now,
    onItem: made.onItem,
    ...(stdin.isTTY && !output.json ? { keyboard: keyboard({ input: stdin, output: stderr, onInterrupt: interrupts.press }) } : {}),
    interrupts,
  });
  const answer = end.type === "run.completed" ? end.text : null;
  if (output.json) {
    output.document({
      conversationId,
      runId: run.runId,
      status: outcomeOf(end),
      answer,
      ...(isCutOff(end) ? { truncated: true } : {}),
      error: end.type === "run.failed" ? { code: end.code, message: end.message } : null,
      ...(end.writes ? { writes: end.writes } : {}),
      calls: made.calls(),
      report: end.report,
      usage: end.usage,
    });
  } else {
    if (answer !== null && !live) output.lines([safeText(answer)]);
    if (answer === null || isCutOff(end)) endLines(context, end).forEach((line) => output.note(line));
    output.note(`(continue: ${SELF} chat --conversation ${conversationId})`);
  }
  return interrupted && end.type === "run.cancelled" ? EXIT.interrupted : exitCodeOf(end);
}
