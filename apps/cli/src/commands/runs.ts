import { RUN_OUTCOMES, RUN_VIEW_STATUSES } from "@toolbus/contracts";
import { type Command, Option } from "commander";
import type { AnswerOptions } from "../runs/answer-run.ts";
import type { ListOptions } from "../runs/list-runs.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";
import { pageLimit } from "./page-limit.ts";
import { addReplayCommands } from "./replays.ts";
import { span } from "./span.ts";

const RUN = "rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E";

/** Declares `toolbus runs …`, which shows, follows, cancels and answers the caller's runs. */
export function addRuns(program: Command, define: Define): void {
  const runs = group(program, "runs", "list, show, follow, cancel, answer and replay runs, and say why they ended or wait");

  define(runs, {
    name: "list",
    summary: "list your runs, newest first",
    audience: "gateway",
    examples: ["toolbus runs list", "toolbus runs list --outcome denied --since 1h", "toolbus runs list --requester alertmanager --json"],
    run: async (context, command) => {
      const { listRuns } = await import("../runs/list-runs.ts");
      const { since, ...wanted } = command.opts<ListOptions & { readonly since?: number }>();
      return listRuns(context, { ...wanted, ...(since === undefined ? {} : { sinceMs: since }) });
    },
  })
    .addOption(new Option("--status <status>", "only those with this status").choices([...RUN_VIEW_STATUSES]))
    .addOption(new Option("--outcome <outcome>", "only those with a write, or a report, that ended so").choices([...RUN_OUTCOMES]))
    .option("--profile <name>", "only those of this profile")
    .option("--since <time>", "only those of the last 30m, 12h or 7d", span)
    .option("--requester <principal>", "those of another principal, such as a trigger, with an operator's key")
    .option("--limit <number>", "how many, 1 to 100", pageLimit, 20)
    .option("--cursor <cursor>", "continue from the previous page");

  define(runs, {
    name: "show <run>",
    summary: "show the state of a run, what it waits for, or how it ended",
    audience: "gateway",
    examples: [`toolbus runs show ${RUN}`, `toolbus runs show ${RUN} --json`],
    run: async (context, command) => (await import("../runs/show-run.ts")).showRun(context, command.args[0]),
  });

  define(runs, {
    name: "why <run>",
    summary: "explain why a run ended or what it waits for, and what to try next",
    more: "In sentences, from the run's events: what was asked, the result of each call, who decided, how it ended or what holds it up.",
    audience: "gateway",
    examples: [`toolbus runs why ${RUN}`, `toolbus runs why ${RUN} --json`],
    run: async (context, command) => (await import("../runs/why-run.ts")).whyRun(context, command.args[0]),
  });

  define(runs, {
    name: "watch <run>",
    summary: "follow a run from its first event to its end",
    more: "A lost connection is resumed where it broke off. Leaving with Ctrl-C stops nothing. With --json each event is one line.",
    audience: "gateway",
    examples: [`toolbus runs watch ${RUN}`, `toolbus runs watch ${RUN} --json`, `toolbus runs watch ${RUN} --timeout 10m`],
    run: async (context, command) => (await import("../runs/watch-command.ts")).watchCommand(context, command.args[0]),
  });

  define(runs, {
    name: "cancel <run>",
    summary: "cancel a run",
    more: "No new call begins. The command does not wait: the run ends when the writes that were already sent have answers.",
    audience: "gateway",
    examples: [`toolbus runs cancel ${RUN}`, `toolbus runs cancel ${RUN} --json`],
    run: async (context, command) => (await import("../runs/cancel-run.ts")).cancelRun(context, command.args[0]),
  });

  define(runs, {
    name: "answer <run> [answer]",
    summary: "answer what the model or a tool of a run asks",
    more: "A tool may ask with a form. The answer is then a JSON object with its fields, or the value of its only field.",
    audience: "gateway",
    examples: [
      `toolbus runs answer ${RUN} "the second one"`,
      `toolbus runs answer ${RUN} 2 --json`,
      `toolbus runs answer ${RUN} --decline`,
    ],
    run: async (context, command) => {
      const [run, answer = ""] = command.args;
      return (await import("../runs/answer-run.ts")).answerRun(context, run, answer, command.opts<AnswerOptions>());
    },
  })
    .option("--call <call>", "which question, if there are several")
    .option("--decline", "decline the question of a tool");

  addReplayCommands(runs, define);
}
