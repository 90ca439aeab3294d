import { isJsonObject, type JsonObject } from "@toolbus/contracts";
import type { DraftDefinition } from "../tool/tool.ts";
import { type Finding, under, warning } from "./finding.ts";
import { isActing } from "./lint-kind.ts";

/** Checks that the parameters limit what a model may send, and that the tool has only one job. */
export function lintParameters({ parameters }: DraftDefinition): readonly Finding[] {
  return [...lintJobs(parameters), ...lintLimits(parameters, "/parameters")];
}

const CHOOSERS: ReadonlySet<string> = new Set(["action", "operation", "op", "command", "verb", "method", "task"]);

/**
 * Finds a parameter that chooses between jobs. Such a parameter combines several tools in one. The model may then pick the wrong job, and one risk
 * covers all of them.
 */
function lintJobs({ properties }: JsonObject): readonly Finding[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, part]) => {
    const choices = isJsonObject(part) && Array.isArray(part["enum"]) ? part["enum"].filter((choice) => typeof choice === "string") : [];
    const acting = choices.filter((choice) => isActing(choice.toLowerCase().split(/[_\s-]/)[0] ?? ""));
    if (choices.length < 2 || !(CHOOSERS.has(name) || acting.length === choices.length)) return [];
    return [
      warning(
        "several_jobs",
        under("/parameters/properties", name),
        `"${name}" chooses between ${choices.length} jobs: ${choices.slice(0, 4).join(", ")}.`,
        "Make a tool of each, named for what it does, with the risk that it has.",
      ),
    ];
  });
}

/** Finds parameters without a limit, because a model sends as much as the schema allows. */
function lintLimits(schema: JsonObject, at: string): readonly Finding[] {
  const findings: Finding[] = [];
  const { properties, items, additionalProperties } = schema;
  for (const [name, part] of Object.entries(isJsonObject(properties) ? properties : {}))
    if (isJsonObject(part)) findings.push(...lintLimit(part, under(`${at}/properties`, name)));
  if (isJsonObject(items)) findings.push(...lintLimit(items, `${at}/items`));
  if (isJsonObject(additionalProperties)) findings.push(...lintLimit(additionalProperties, `${at}/additionalProperties`));
  return findings;
}

function lintLimit(part: JsonObject, at: string): readonly Finding[] {
  const type = typeof part["type"] === "string" ? part["type"] : "";
  const limit = LIMITS.get(type);
  const limited = !limit || ["enum", "const", ...limit.by].some((word) => part[word] !== undefined);
  const own = limited ? [] : [warning("parameter_unlimited", at, `The ${type} at ${at} has no limit.`, limit.remedy)];
  return [...own, ...lintLimits(part, at)];
}

const RANGE = {
  by: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  remedy: "Give it a minimum and a maximum, or an enum.",
};

const LIMITS: ReadonlyMap<string, { readonly by: readonly string[]; readonly remedy: string }> = new Map([
  ["string", { by: ["maxLength", "pattern", "format"], remedy: "Give it a maxLength, a pattern, a format or an enum." }],
  ["integer", RANGE],
  ["number", RANGE],
  ["array", { by: ["maxItems"], remedy: "Give it a maxItems." }],
]);
