import type { Command } from "commander";

/** A command that is only a name for those below it; called alone it says what they are, as a fault. */
export function group(parent: Command, name: string, summary: string): Command {
  const command = parent
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`);
  return command.helpCommand(false);
}
