import type { Command } from "commander";
import type { AddOptions } from "../evaluations/add-scenario.ts";
import type { Define } from "../toolbus/command.ts";

/** Adds the command that makes a run a scenario to `toolbus eval`. */
export function addEvalAdd(group: Command, define: Define): void {
  define(group, {
    name: "add [run]",
    summary: "make a run a scenario of a suite",
    more:
      "The tools' answers become fixtures, and what happened becomes the expectation. E-mail addresses, phone, card and bank account numbers, " +
      "credentials and secret arguments are masked. Read the file before you share it.",
    audience: "gateway",
    examples: [
      "toolbus eval add rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E --suite evals/release-risk",
      "toolbus eval add --file run.json --suite evals/release-risk --id high-failed-payments",
    ],
    run: async (context, command) =>
      (await import("../evaluations/add-scenario.ts")).addScenario(context, command.args[0], command.opts<AddOptions>()),
  })
    .option("--suite <folder>", "the folder of the suite", "evals")
    .option("--id <id>", "the id of the scenario; by default it is made from the run's id")
    .option("--file <file>", "the record of the run, as `runs record` wrote it")
    .option("--golden", "also write the turns of the model, so that the scenario needs no model");
}
