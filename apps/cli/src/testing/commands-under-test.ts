import type { Command } from "commander";
import { build } from "../toolbus/program.ts";
import { surroundingsUnderTest } from "./surroundings-under-test.ts";

/** Returns every command that has an action, with its whole name, such as `toolbus runs list`. */
export function commandsUnderTest(): readonly (readonly [name: string, command: Command])[] {
  const all: [string, Command][] = [];
  const walk = (command: Command, name: string): void => {
    // Commander does not show whether a group has an action. Of our groups, only those with an action have options, besides `toolbus` itself.
    const acts = command.commands.length === 0 || (name !== "toolbus" && command.options.length > 0);
    if (acts) all.push([name, command]);
    for (const below of command.commands) walk(below, `${name} ${below.name()}`);
  };
  walk(
    build(surroundingsUnderTest().around, () => undefined),
    "toolbus",
  );
  return all;
}
