import type { Command } from "commander";

/** Declares a command that only groups its subcommands. Without a subcommand it lists them and fails. */
export function group(parent: Command, name: string, summary: string): Command {
  const command = parent
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  return command.helpCommand(false);
}
