import { counted, type IfActive } from "@toolbus/contracts";
import { readContext } from "../http/answers.ts";
import type { Client } from "../http/client.ts";
import { followRun } from "../runs/follow-run.ts";
import { runScreen } from "../runs/run-screen.ts";
import { usageText } from "../runs/usage-text.ts";
import { endLines } from "../runs/watch-command.ts";
import { keyboard } from "../terminal/keyboard.ts";
import { safeText } from "../terminal/safe-text.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { SELF } from "../toolbus/self.ts";
import { offlineNote } from "./offline-note.ts";
import { openConversation, sendMessage } from "./send-message.ts";

export interface ChatLoopOptions {
  readonly conversationId?: string;
  readonly profile?: string;
  readonly ifActive?: IfActive;
}

const HELP = [
  "Type a message and Enter; a backslash at the end of a line continues it on the next.",
  "/new      begin a new conversation",
  "/context  what this conversation holds and has cost",
  "/quit     leave (also Ctrl-D)",
  "Ctrl-C cancels the run; pressed again, or at the prompt, it leaves.",
];

/** Talks to a person at a terminal until they leave. */
export async function chatLoop(context: Context, { conversationId: given, profile, ifActive }: ChatLoopOptions): Promise<ExitCode> {
  const { output, around, signal, colour } = context;
  const gateway = await context.gateway();
  const keys = keyboard({ input: around.stdin, output: around.stdout, onInterrupt: around.interrupts.press });
  let conversationId = given ?? null;
  let noted = false;
  output.lines([`Talking to ${gateway.url}. /help lists the commands, Ctrl-D leaves.`]);
  try {
    for (;;) {
      const typed = await keys.ask("> ", signal);
      const text = typed?.trim();
      if (text === undefined || text === "/quit" || text === "/exit") return EXIT.ok;
      if (text === "/new") {
        conversationId = null;
        output.lines(["The next message begins a new conversation."]);
      } else if (/^\/[a-z]*$/.test(text) && text !== "/context") output.lines(HELP);
      else if (text !== "") await untilFailure(context, () => (text === "/context" ? showContext() : say(text)));
    }
  } finally {
    if (conversationId !== null) output.lines([`Continue with: ${SELF} chat --conversation ${conversationId}`]);
  }

  async function showContext(): Promise<void> {
    output.lines(conversationId === null ? ["Nothing was said yet."] : await contextLines(gateway, conversationId));
  }

  async function say(text: string): Promise<void> {
    conversationId ??= await openConversation(gateway, profile, around.newId);
    const message = { conversationId, text, ...(ifActive === undefined ? {} : { ifActive }) };
    const { runId } = await sendMessage(gateway, message, around.newId);
    const screen = runScreen({ progress: output.out, text: output.out, colour, quiet: false });
    const { end } = await followRun({ gateway, runId, screen, signal, now: around.now, keyboard: keys, interrupts: around.interrupts });
    output.lines(endLines(context, end));
    const note = noted ? null : await offlineNote(gateway, conversationId);
    noted = true;
    if (note !== null) output.lines([note]);
  }
}

/** Runs a command. If it throws a Failure, the user sees the message and the conversation continues. */
async function untilFailure({ output, signal }: Context, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof Failure) || signal.aborted) throw error;
    output.lines([output.paint("red", error.message)]);
  }
}

async function contextLines(gateway: Client, conversationId: string): Promise<string[]> {
  const { profile, messages, runs, usage, provider, model, toolCalls } = readContext(
    await gateway.get(`/v1/conversations/${conversationId}/context`),
  );
  return [
    `conversation  ${conversationId}`,
    `profile       ${profile}${model === null ? "" : `, ${provider ?? ""} ${model}`}`,
    `so far        ${counted(messages, "message")}, ${counted(runs, "run")}, ${counted(toolCalls.length, "tool call")}`,
    `used          ${usageText(usage)}`,
  ].map(safeText);
}
