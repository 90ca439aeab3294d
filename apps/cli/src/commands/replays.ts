import type { Command } from "commander";
import type { ReplayOptions } from "../replays/replay-run.ts";
import type { Define } from "../toolbus/command.ts";

const RUN = "rn_04_01K0AB5M0Y4T8J6W2Q9Z3C7D1E";

/** Adds the commands that save a run and play it again to `toolbus runs`. */
export function addReplayCommands(runs: Command, define: Define): void {
  define(runs, {
    name: "record <run>",
    summary: "save everything that is needed to play a run again",
    more: "The record has what people, the model and tools said, so keep it as confidential as the run. It has no keys, grants and secrets of calls.",
    audience: "gateway",
    examples: [`toolbus runs record ${RUN} --out run.json`, `toolbus runs record ${RUN}`],
    run: async (context, command) =>
      (await import("../replays/record-run.ts")).recordRun(context, command.args[0], command.opts<{ readonly out?: string }>().out),
  }).option("--out <file>", "a new file for the record; by default it is printed");

  define(runs, {
    name: "replay [run]",
    summary: "play a run again from its log, without a network, and compare it",
    more:
      "No tool is called and nothing is written. With another profile, prompt, tool or model, it shows where the run diverges, turn by turn. " +
      "Only --model asks something outside, and only that model. Exits with 2 if anything differs.",
    audience: "gateway",
    reads: "services",
    examples: [
      `toolbus runs replay ${RUN}`,
      "toolbus runs replay --file run.json --tools tools.yaml",
      "toolbus runs replay --file run.json --model anthropic:claude-sonnet-5 --json",
    ],
    run: async (context, command) =>
      (await import("../replays/replay-run.ts")).replayRun(context, command.args[0], command.opts<ReplayOptions>()),
  })
    .option("--file <file>", "the record of the run, as `runs record` wrote it")
    .option("--profile <file>", "play it with this profile")
    .option("--prompt <file>", "play it with the system prompt in this file")
    .option("--tools <file>", "play it with these changed tool definitions, a YAML or JSON list")
    .option("--model <provider:name>", "ask this model for the turns, and nothing else");
}
