import type { Command } from "commander";
import type { Define } from "../toolbus/command.ts";
import { addEvalAdd } from "./eval-add.ts";
import { group } from "./group.ts";

/** Declares `toolbus eval …`, which makes runs scenarios. */
export function addEval(program: Command, define: Define): void {
  addEvalAdd(group(program, "eval", "make recorded runs scenarios"), define);
}
