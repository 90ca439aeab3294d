import type { Command } from "commander";
import type { Audience } from "../keys/find-key.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Reads } from "./unknown-variables.ts";

/** How a command is run: with its context, its arguments and its own options. Gives the exit code; throws a Failure. */
export type Run = (context: Context, command: Command) => Promise<ExitCode>;

/** Makes a command out of what it is called, what it says of itself and what it does. */
export type Define = (parent: Command, definition: Definition) => Command;

export interface Definition {
  /** In commander's form: `show <run>`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What else its own help says. */
  readonly more?: string;
  /** Two or three lines that can be typed; ids in them stand for ids that there are. */
  readonly examples: readonly string[];
  /** Whose key --key and --key-file are; where its options decide that, as they do. */
  readonly audience: Audience | ((command: Command) => Audience);
  /** Whose variables it reads besides those of the command line, where it reads more; services name by themselves what they do not know. */
  readonly reads?: Reads | "services";
  readonly run: Run;
}
