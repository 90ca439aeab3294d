import type { DraftDefinition } from "../tool/tool.ts";
import type { Finding } from "./finding.ts";
import { lintDescription } from "./lint-description.ts";
import { lintGuards } from "./lint-guards.ts";
import { lintKind } from "./lint-kind.ts";
import { lintName } from "./lint-name.ts";
import { lintParameters } from "./lint-parameters.ts";
import { lintSchema } from "./lint-schema.ts";

/**
 * Returns all faults that the definition itself shows, errors first. `defineTool` and `toolset` refuse a definition with an error. A worker logs the
 * warnings when it starts. The definition's fields must already have their types (`parseDefinition`, or a registration as it was read).
 */
export function lintTool(definition: DraftDefinition): readonly Finding[] {
  const findings = [
    ...lintSchema(definition),
    ...lintName(definition),
    ...lintKind(definition),
    ...lintGuards(definition),
    ...lintDescription(definition),
    ...lintParameters(definition),
  ];
  return [...findings.filter(({ level }) => level === "error"), ...findings.filter(({ level }) => level === "warning")];
}

/** Returns the first error as text that says what to change and how many more errors there are. Returns null if there is no error. */
export function firstError(findings: readonly Finding[]): string | null {
  const errors = findings.filter(({ level }) => level === "error");
  const [first] = errors;
  if (!first) return null;
  const more = errors.length === 1 ? "" : ` (${errors.length - 1} more)`;
  return `${first.message} ${first.remedy}${more}`;
}
