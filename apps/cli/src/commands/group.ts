import type { Command } from "commander";

/** A command that only groups those below it. Called alone it lists them and fails. */
export function group(parent: Command, name: string, summary: string): Command {
  const command = parent
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  return command.helpCommand(false);
}
