import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";
import { addEvalRun } from "./eval-run.ts";
import { group } from "./group.ts";

/** Declares `toolbus eval …`, which evaluates agents with suites of scenarios. */
export function addEval(program: Command, define: Define): void {
  const evaluation = group(program, "eval", "evaluate an agent with scenarios");
  addEvalRun(evaluation, define);
}
