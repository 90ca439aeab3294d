import { type Command, Option } from "commander";
import type { ChatOptions } from "../chat/chat-command.ts";
import type { Define } from "../toolbus/command.ts";

/** Declares `toolbus chat`, which starts a conversation at the terminal or sends one message. */
export function addChat(program: Command, define: Define): void {
  define(program, {
    name: "chat [text...]",
    summary: "talk to the agent; with a text or a pipe, send one message",
    more:
      "At a terminal it continues until Ctrl-D; the model's questions are answered at the prompt. Ctrl-C cancels the run, a second one leaves. " +
      "With one message, its answer goes to standard output and the progress to standard error.",
    audience: "gateway",
    examples: ["toolbus chat", 'toolbus chat "What can you do?"', 'echo "What can you do?" | toolbus chat --json'],
    run: async (context, command) => {
      const { chat } = await import("../chat/chat-command.ts");
      return chat(context, command.args, command.opts<ChatOptions>());
    },
  })
    .option("--conversation <id>", "continue this conversation")
    .option("--profile <name>", "the profile of a new conversation (default: chat)")
    .addOption(
      new Option("--if-active <what>", "while a run of the conversation is active: wait behind it, be refused, or cancel it").choices([
        "enqueue",
        "reject",
        "interrupt",
      ]),
    );
}
