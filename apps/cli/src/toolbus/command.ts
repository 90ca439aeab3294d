import type { Command } from "commander";
import type { Audience } from "../keys/find-key.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Reads } from "./unknown-variables.ts";

/** How a command is run: with its context, its arguments and its own options. Returns the exit code; throws a Failure. */
export type Run = (context: Context, command: Command) => Promise<ExitCode>;

/** Makes a command from its name, its help and its action. */
export type Define = (parent: Command, definition: Definition) => Command;

export interface Definition {
  /** In commander's form: `show <run>`. */
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The rest of its own help. */
  readonly more?: string;
  /** Two or three example lines to type; ids in them stand for existing ids. */
  readonly examples: readonly string[];
  /** The audience of --key and --key-file; a function if it depends on the command's options. */
  readonly audience: Audience | ((command: Command) => Audience);
  /** The services whose variables it reads besides those of the command line; services report unknown variables themselves. */
  readonly reads?: Reads | "services";
  readonly run: Run;
}
