import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";
import { addEvalAdd } from "./eval-add.ts";
import { addEvalReading } from "./eval-reading.ts";
import { addEvalRun } from "./eval-run.ts";
import { group } from "./group.ts";

/** Declares `toolbus eval …`, which evaluates agents. */
export function addEval(program: Command, define: Define): void {
  const parent = group(program, "eval", "evaluate agents, and read and compare the results");
  addEvalRun(parent, define);
  addEvalAdd(parent, define);
  addEvalReading(parent, define);
}
