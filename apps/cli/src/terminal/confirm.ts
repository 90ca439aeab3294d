import type { Context } from "../toolbus/context.ts";
import { EXIT } from "../toolbus/exit-codes.ts";
import { Failure } from "../toolbus/failure.ts";
import { keyboard } from "./keyboard.ts";
import { safeText } from "./safe-text.ts";

export interface Confirmation {
  /** The lines that the person must read first. They are already safe to print. */
  readonly lines: readonly string[];
  /** The question, such as "enable it?". */
  readonly question: string;
  /** What to do if there is no terminal, as the end of the error. */
  readonly otherwise: string;
  /** The message after a "no". */
  readonly declined: string;
}

/** Shows lines at the terminal and asks whether to continue. Throws a Failure if the person says no, or if there is no terminal. */
export async function confirm({ around, signal }: Context, { lines, question, otherwise, declined }: Confirmation): Promise<void> {
  const { stdin, stderr, interrupts } = around;
  if (!isTerminal({ around })) throw new Failure(EXIT.usage, `There is no terminal to ask at: ${otherwise}`);
  stderr.write(lines.map((line) => `${line}\n`).join(""));
  const keys = keyboard({ input: stdin, output: stderr, onInterrupt: interrupts.press });
  const answer = await keys.ask(`${safeText(question)} y/N `, signal);
  if (!/^y(es)?$/i.test(answer?.trim() ?? "")) throw new Failure(EXIT.failed, declined);
}

/** Returns whether the command can ask a person. */
export function isTerminal({ around: { stdin, stderr } }: Pick<Context, "around">): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}
