import type { Command } from "commander";
import type { EvalRunOptions } from "../evaluations/run-evaluation.ts";
import type { Define } from "../toolbus/command.ts";
import { countUpTo } from "./count-up-to.ts";

/** Declares `toolbus eval run`, which runs the scenarios of a suite and scores what the agent does. */
export function addEvalRun(evaluation: Command, define: Define): void {
  const also = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
  define(evaluation, {
    name: "run <suite>",
    summary: "run the scenarios of a suite and score what the agent does",
    more:
      "The suite is a folder with suite.yaml, or a YAML file. Every service runs in this process, and fixtures answer the tools, so nothing outside is " +
      "called except a configured model. An evaluation that is interrupted goes on where it was. With --live the scenarios run on the system at --url, " +
      "with its tools and its people. Exits with 2 when a trial fails, with 1 when one could not be run.",
    audience: "gateway",
    reads: "models",
    examples: [
      "toolbus eval run evals/release-risk",
      "toolbus eval run evals/release-risk --only high --repeats 5 --json",
      "toolbus eval run evals/release-risk --variant shorter-prompt.yaml",
    ],
    run: async (context, command) =>
      (await import("../evaluations/run-evaluation.ts")).runEvaluation(context, command.args[0] ?? "", command.opts<EvalRunOptions>()),
  })
    .option("--variant <file>", "also run the suite with the changes in this file, for a comparison; may be given several times", also)
    .option("--only <id or tag>", "only the scenarios with this id or tag; may be given several times", also)
    .option("--repeats <number>", "how often each scenario runs, 1 to 100 (default: as the suite says)", countUpTo(100))
    .option("--parallel <number>", "how many run at the same time, 1 to 64", countUpTo(64), 8)
    .option("--out <folder>", "where result.json is written (default: evals/<suite> in the data directory)")
    .option("--fresh", "run every trial again, also those of an interrupted evaluation")
    .option("--live", "run on the system at --url instead of in this process");
}
