import type { DemoArguments } from "./arguments.ts";

/** Returns the first line of the demo. */
export function headline({ orders }: DemoArguments): string {
  return orders === null
    ? "Toolbus demo: an agent investigates a release; its one write waits for a person."
    : "Toolbus demo: an agent helps the customers of a shop; its writes are granted by policy or by people.";
}

/** Returns what the user can do after an interruption. */
export function nextRun({ orders }: DemoArguments): string {
  return orders === null ? "Run the same command to continue." : "The next run of this command tells the story from its beginning.";
}
