import type { Command } from "commander";
import type { Audience } from "../keys/find-key.ts";
import type { Context } from "./context.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Reads } from "./unknown-variables.ts";

/** Runs a command with its context, its arguments and its own options. Returns the exit code, or throws a Failure. */
export type Run = (context: Context, command: Command) => Promise<ExitCode>;

/** Declares a command from its name, its help and its action. */
export type Define = (parent: Command, definition: Definition) => Command;

export interface Definition {
  /** The name in commander's form, such as `show <run>`. */
  readonly name: string;
  /** The line in the list of commands. */
  readonly summary: string;
  /** The rest of the command's own help. */
  readonly more?: string;
  /** Two or three example lines. The ids in them are placeholders for existing ids. */
  readonly examples: readonly string[];
  /** The audience of --key and --key-file. It is a function if the audience depends on the command's options. */
  readonly audience: Audience | ((command: Command) => Audience);
  /**
   * The environment variables that the command reads besides those of every command. With "services" the command starts services, which report
   * unknown variables themselves.
   */
  readonly reads?: Reads | "services";
  /** The options of every command that this one does not take, each with the reason. The help leaves them out, and typing one is refused. */
  readonly without?: Readonly<Record<string, string>>;
  readonly run: Run;
}
