import { MAX_MESSAGE_CHARS, type IfActive } from "@toolbus/contracts";
import { readAll } from "../terminal/read-all.ts";
import type { Context } from "../toolbus/context.ts";
import { EXIT, type ExitCode } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { idOf } from "../toolbus/ids.ts";
import { chatLoop } from "./chat-loop.ts";
import { sayOnce } from "./one-message.ts";

export interface ChatOptions {
  readonly conversation?: string;
  readonly profile?: string;
  readonly ifActive?: IfActive;
}

/** Sends one message from the command line or from a pipe. Without a message it starts a conversation at the terminal. */
export async function chat(context: Context, words: readonly string[], options: ChatOptions): Promise<ExitCode> {
  const { conversation, profile, ifActive } = options;
  if (conversation !== undefined && profile !== undefined) {
    throw new Failure(
      EXIT.usage,
      "A conversation keeps the profile that it began with: leave --profile out, or begin a new conversation without --conversation.",
    );
  }
  const where = {
    ...(conversation === undefined ? {} : { conversationId: idOf("conversation", conversation) }),
    ...(profile === undefined ? {} : { profile }),
    ...(ifActive === undefined ? {} : { ifActive }),
  };
  const { stdin, stdout } = context.around;
  const typed = words.join(" ");
  if (typed.trim() === "" && words.length > 0) throw new Failure(EXIT.usage, "The message is empty: type some text.");
  if (words.length === 0 && stdin.isTTY) {
    if (stdout.isTTY && !context.output.json) return chatLoop(context, where);
    throw new Failure(EXIT.usage, "Without a terminal, give the message as an argument or through a pipe.");
  }
  const text = words.length > 0 ? typed : (await readAll(stdin, MAX_MESSAGE_CHARS * 4, context.signal)).trim();
  if (text === "") throw new Failure(EXIT.usage, "The message is empty: give it as an argument or on standard input.");
  if (text.length > MAX_MESSAGE_CHARS) {
    throw new Failure(EXIT.usage, `The message has ${text.length} characters, at most ${MAX_MESSAGE_CHARS} are accepted: shorten it.`);
  }
  return sayOnce(context, { text, ...where });
}
