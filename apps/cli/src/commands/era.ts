import type { Command } from "commander";
import type { RaiseOptions } from "../era/raise-era.ts";
import type { ResumeOptions } from "../era/resume-writes.ts";
import type { Define } from "../toolbus/command.ts";
import { group } from "./group.ts";

const OPERATOR = "Needs an operator's key of approvals.";

/** Declares `toolbus era …`, which an operator uses at the approvals service when the state store has lost writes. */
export function addEra(program: Command, define: Define): void {
  const era = group(program, "era", "handle grants and writes when the state store lost some");

  define(era, {
    name: "show",
    summary: "show the era of the grants and the shards that lost writes",
    audience: "approvals",
    examples: ["toolbus era show", "toolbus era show --json"],
    run: async (context) => (await import("../era/show-era.ts")).showEra(context),
  });

  define(era, {
    name: "held",
    summary: "list the writes that may have happened in the time that the store has lost",
    more:
      "These are the writes in held shards that wait for people, that were approved and have no result, or whose outcome is unknown. Look at their " +
      `targets, and then resume. Writes that their target recognises by a key are never held. ${OPERATOR} With an operator's key of the gateway, writes that have a result are left out.`,
    audience: "approvals",
    examples: ["toolbus era held", "toolbus era held --json"],
    run: async (context) => (await import("../era/show-held.ts")).showHeld(context),
  });

  define(era, {
    name: "raise",
    summary: "void every grant, after a restore during which all services were down",
    more:
      "Grants are renewed by themselves, and nobody has to approve again. With --hold, the command also lists the writes that it holds, as " +
      `"toolbus era held" does. ${OPERATOR} --stopped needs the data directory with the keys instead.`,
    audience: "approvals",
    examples: [
      'toolbus era raise --reason "restored from the backup of midnight" --hold',
      'toolbus era raise --reason "restored, nothing was lost" --json',
    ],
    run: async (context, command) => (await import("../era/raise-era.ts")).raiseEra(context, command.opts<RaiseOptions>()),
  })
    .requiredOption("--reason <text>", "why, for the audit")
    .option("--hold", "also hold the writes of every shard that cannot be repeated safely")
    .option("--replace", "replace a stored era that approvals did not sign; holds every shard")
    .option("--stopped", "no service runs: open the store of STATE_URL, or of the data directory, in this command");

  define(era, {
    name: "resume [shards...]",
    summary: "let the writes of shards begin again, once somebody has checked their targets",
    more: OPERATOR,
    audience: "approvals",
    examples: ["toolbus era resume --all", "toolbus era resume 03 07 --json"],
    run: async (context, command) =>
      (await import("../era/resume-writes.ts")).resumeWrites(context, command.args, command.opts<ResumeOptions>()),
  }).option("--all", "the writes of every shard that is held");
}
