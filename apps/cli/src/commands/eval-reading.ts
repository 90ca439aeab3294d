import { type Command, Option } from "commander";
import type { BaselineOptions, CompareOptions, SaveOptions } from "../evaluations/baseline-options.ts";
import type { JudgeOptions } from "../evaluations/judge-labels.ts";
import type { ReportOptions } from "../evaluations/report-result.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";

/** Declares the commands of `toolbus eval` that read results: `report`, `compare`, `judge` and `baseline …`. */
export function addEvalReading(parent: Command, define: Define): void {
  define(parent, {
    name: "report <result>",
    summary: "print the report of an evaluation, as JSON, Markdown or one HTML page",
    more:
      "Reads the file that an evaluation wrote. The HTML page has its plots inside, runs no script and opens without a network. With --baseline the report " +
      "also lists what fell and rose since then.",
    audience: "gateway",
    examples: [
      "toolbus eval report result.json",
      "toolbus eval report result.json --format html --out report.html",
      "toolbus eval report result.json --baseline 1.4.0 --format markdown",
    ],
    run: async (context, command) =>
      (await import("../evaluations/report-result.ts")).reportResult(context, command.args[0] ?? "", command.opts<ReportOptions>()),
  })
    .addOption(
      new Option("--format <format>", "the form of the report; json with --json, else markdown").choices(["json", "markdown", "html"]),
    )
    .option("--out <file>", "write the report to this file instead of standard output")
    .option("--baseline <version>", "also compare with this baseline, by its version or its file")
    .option("--folder <folder>", "the folder of the baselines", "evals/baselines");

  define(parent, {
    name: "compare <first> <second>",
    summary: "compare two results of the same suite, scenario by scenario",
    more: "Prints McNemar's exact test on passed and failed, and the mean difference with its interval. Scenarios that changed are left out.",
    audience: "gateway",
    examples: ["toolbus eval compare before.json after.json", "toolbus eval compare one.json two.json --json"],
    run: async (context, command) =>
      (await import("../evaluations/compare-results.ts")).compareResults(context, command.args[0] ?? "", command.args[1] ?? ""),
  });

  define(parent, {
    name: "judge <labels>",
    summary: "measure how far the judge agrees with people's labels",
    more:
      "Asks the model every labelled example and prints agreement, Cohen's kappa and its interval. A judge with a kappa below 0.6 may not fail a trial. " +
      "Without a model, the judge is reported as not measured. docs/evaluation-reports.md shows the form of the file.",
    audience: "gateway",
    reads: "models",
    examples: ["toolbus eval judge labels.yaml", "toolbus eval judge labels.yaml --provider anthropic --votes 5 --save"],
    run: async (context, command) =>
      (await import("../evaluations/judge-labels.ts")).judgeLabels(context, command.args[0] ?? "", command.opts<JudgeOptions>()),
  })
    .option("--provider <provider>", "the provider of the judge (LLM_PROVIDER)")
    .option("--model <model>", "the model of the judge (LLM_MODEL)")
    .option("--votes <number>", "how many votes decide one question, an odd number", "3")
    .option("--save", "save the calibration beside the labels, where an evaluation finds it");

  addBaseline(group(parent, "baseline", "save results, and compare later results with them"), define);
}

function addBaseline(parent: Command, define: Define): void {
  const inFolder = (command: Command): Command => command.option("--folder <folder>", "the folder of the baselines", "evals/baselines");

  inFolder(
    define(parent, {
      name: "save <result> <version>",
      summary: "save a result as the baseline of a version",
      more: "Refuses a result with a trial that could not be scored, and a version that exists, unless --replace is given.",
      audience: "gateway",
      examples: ["toolbus eval baseline save result.json 1.4.0", "toolbus eval baseline save result.json main --replace"],
      run: async (context, command) =>
        (await import("../evaluations/save-baseline.ts")).saveBaseline(
          context,
          command.args[0] ?? "",
          command.args[1] ?? "",
          command.opts<SaveOptions>(),
        ),
    }),
  ).option("--replace", "replace the baseline of this version");

  inFolder(
    define(parent, {
      name: "compare <result> [version]",
      summary: "compare a result with a baseline of its suite",
      more:
        "Without a version it uses the baseline that was saved last. Lists every score that fell or rose by more than 5 percent, and names the scenarios that " +
        "are new, gone or changed. With --fail-on-regression it exits with 2 if a score fell that may gate, and with 1 if nothing could be compared.",
      audience: "gateway",
      examples: [
        "toolbus eval baseline compare result.json",
        "toolbus eval baseline compare result.json 1.4.0 --fail-on-regression --json",
        "toolbus eval baseline compare result.json --variant shorter --fail-on-regression",
      ],
      run: async (context, command) =>
        (await import("../evaluations/compare-with-baseline.ts")).compareWithBaseline(
          context,
          command.args[0] ?? "",
          command.args[1],
          command.opts<BaselineOptions & CompareOptions>(),
        ),
    }),
  )
    .option("--over <percent>", "list changes over this many percent", "5")
    .option("--variant <name>", "compare only this variant of the result, with the first variant of the baseline")
    .option("--fail-on-regression", "exit with 2 if a score fell by more")
    .option("--ignore-uncertain", "do not exit with 2 for drops that the repeats alone may explain");
}
