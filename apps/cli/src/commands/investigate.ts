import { type Command, Option } from "commander";
import type { InvestigateOptions } from "../investigations/investigate-command.ts";
import type { Define } from "../toolbus/command.ts";

/** Declares `toolbus investigate`, which investigates a release or an alert and follows the run to its report. */
export function addInvestigate(program: Command, define: Define): void {
  define(program, {
    name: "investigate [release]",
    summary: "investigate a release or an alert and print the report",
    more:
      "Follows the run until its report is there, also while a write waits for a person. Leaving with Ctrl-C stops nothing. " +
      "With --repo, this command reads the repository, and no release API is needed. The facts have no line of source. " +
      "Test results and metrics come from --junit, --ci and --metrics, or from the release API: name its release as well. " +
      "Exits with 2 when the severity is --fail-on or worse, with 1 when nothing could be assessed.",
    audience: "gateway",
    examples: [
      "toolbus investigate v1.5.0 --fail-on high --timeout 10m --json",
      "toolbus investigate --repo . --from v1.4.0 --to v1.5.0 --junit report.xml",
      `echo '{"labels":{"alertname":"Errors","release":"v1.5.0"}}' | toolbus investigate --alert -`,
    ],
    run: async (context, command) => {
      const { investigate } = await import("../investigations/investigate-command.ts");
      return investigate(context, command.args[0], command.opts<InvestigateOptions>());
    },
  })
    .option("--alert <file>", "an alert as Alertmanager sends it, JSON; - reads standard input")
    .option("--repo <folder>", "read the change of the release from this git repository and send its facts")
    .option("--from <ref>", "with --repo: the earlier release")
    .option("--to <ref>", "with --repo: the release to investigate")
    .option("--package <name>", "with --repo: the package of a monorepo, by its name or folder")
    .option("--advisories <path>", "with --repo: compare the release with the security advisories in this file or folder, OSV as JSON")
    .option("--junit <file>", "with --repo: the test results of the release, JUnit XML")
    .option("--ci <file>", "with --repo: the test results of the release, a test report of a GitLab pipeline as JSON")
    .option("--metrics <file>", "with --repo: the error rate and the response time of the release, JSON")
    .option("--note <text>", "what else the agent should know")
    .option("--no-wait", "do not follow it: print the run's id and exit")
    .addOption(new Option("--fail-on <severity>", "exit with 2 from this severity on").choices(["low", "medium", "high"]));
}
