import type { Command } from "commander";
import type { DemoValues } from "../demo/arguments.ts";
import { DEMO_FLAGS } from "../demo/flags.ts";
import type { Define } from "../toolbus/command.ts";

const OWN = "it starts a Toolbus of its own, with its own addresses and keys";

/** Declares `toolbus demo`, which does the same as `npm run demo`, without the lines that npm prints. */
export function addDemo(program: Command, define: Define): void {
  const command = define(program, {
    name: "demo",
    summary: "investigate a release of a git repository, from start to filed report",
    more:
      "It starts its own Toolbus and stops it afterwards: an agent reads the summary of the release, assesses the risk and files a report once " +
      "you agree. Exits with 2 when the severity is --fail-on or worse, with 3 when nobody was there to agree.",
    audience: "gateway",
    reads: "models",
    examples: [
      "toolbus demo",
      "toolbus demo --repo ../shop --from v1.4.0 --to v1.5.0 --approve",
      "toolbus demo --approve --json --fail-on high",
    ],
    without: {
      "--url": OWN,
      "--approvals-url": OWN,
      "--key-file": OWN,
      "--key": OWN,
      "--quiet": "it is meant to be watched, and --json gives the outcome alone",
    },
    run: async (context, typed) => (await import("../demo/demo-command.ts")).demo(context, typed.optsWithGlobals<DemoValues>()),
  });
  for (const { name, value, says, ofEveryCommand } of DEMO_FLAGS) {
    if (ofEveryCommand) continue;
    command.option(value === undefined ? `--${name}` : `--${name} <${value.toLowerCase()}>`, says);
  }
}
