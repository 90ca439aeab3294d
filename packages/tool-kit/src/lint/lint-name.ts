import type { DraftDefinition } from "../tool/tool.ts";
import { error, type Finding } from "./finding.ts";

/** Checks the form of the name. */
export function lintName({ name }: DraftDefinition): readonly Finding[] {
  if (SNAKE_CASE.test(name)) return [];
  return [
    error(
      "name_form",
      "/name",
      `"${name.slice(0, 80)}" is not a name in snake case.`,
      "Use lower-case words and digits with one _ between them, as in look_up_order.",
    ),
  ];
}

// Two underscores separate the name of a server from the name of its tool.
const SNAKE_CASE = /^[a-z][a-z0-9]*(_{1,2}[a-z0-9]+)*$/;
