import { type Command, Option } from "commander";
import type { ListOptions } from "../dead-letters/list-dead-letters.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";
import { pageLimit } from "./page-limit.ts";

const LETTER = "dl_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E";

/** Declares `toolbus dead-letters …`, which lists, shows, replays and dismisses dead letters. These commands need an operator's key. */
export function addDeadLetters(program: Command, define: Define): void {
  const letters = group(program, "dead-letters", "list, show, replay and dismiss the messages that queues gave up");

  define(letters, {
    name: "list",
    summary: "list the dead letters, newest first",
    more: "Needs an operator's key.",
    audience: "gateway",
    examples: ["toolbus dead-letters list", "toolbus dead-letters list --state open --queue run.wake", "toolbus dead-letters list --json"],
    run: async (context, command) => {
      const { listDeadLetters } = await import("../dead-letters/list-dead-letters.ts");
      return listDeadLetters(context, command.opts<ListOptions>());
    },
  })
    .option("--queue <queue>", "only those of this queue")
    .addOption(
      new Option(
        "--state <state>",
        "only those that are open, that are being replayed, that were replayed, or that somebody dismissed",
      ).choices(["open", "replaying", "replayed", "dismissed"]),
    )
    .option("--limit <number>", "how many, 1 to 100", pageLimit, 20)
    .option("--cursor <cursor>", "continue from the previous page");

  define(letters, {
    name: "show <letter>",
    summary: "show a dead letter, and why it was given up",
    more: "Needs an operator's key.",
    audience: "gateway",
    examples: [`toolbus dead-letters show ${LETTER}`, `toolbus dead-letters show ${LETTER} --json`],
    run: async (context, command) => (await import("../dead-letters/show-dead-letter.ts")).showDeadLetter(context, command.args[0]),
  });

  define(letters, {
    name: "replay <letter>",
    summary: "replay a dead letter, once",
    more: "Its message is sent to its queue again, or the agent looks at its call at once. Needs an operator's key.",
    audience: "gateway",
    examples: [`toolbus dead-letters replay ${LETTER}`, `toolbus dead-letters replay ${LETTER} --json`],
    run: async (context, command) => (await import("../dead-letters/replay-dead-letter.ts")).replayDeadLetter(context, command.args[0]),
  });

  define(letters, {
    name: "dismiss <letter...>",
    summary: "note that nothing is left to do about dead letters",
    more: "Doctor no longer reports them. Nothing is sent, they are kept as long as before, and they can still be replayed. Needs an operator's key.",
    audience: "gateway",
    examples: [`toolbus dead-letters dismiss ${LETTER}`, `toolbus dead-letters dismiss ${LETTER} --json`],
    run: async (context, command) => (await import("../dead-letters/dismiss-dead-letters.ts")).dismissDeadLetters(context, command.args),
  });
}
