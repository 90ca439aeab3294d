import { foreignSchema, isJsonObject, type Json, type JsonObject, nearest } from "@toolbus/contracts";
import type { DraftDefinition } from "../tool/tool.ts";
import { error, type Finding, under } from "./finding.ts";
import { remedyOf } from "./remedy-of.ts";

/**
 * Checks the rules of the risk. A rule with a misspelt keyword applies to every call, and a rule about a misspelt parameter applies to every call or to
 * none. In both cases nobody would notice.
 */
export function lintRules({ risk, parameters }: DraftDefinition): readonly Finding[] {
  return (risk.rules ?? []).flatMap(({ when }, n) => {
    const at = `/risk/rules/${n}/when`;
    const made = foreignSchema(when);
    if (made.ok) return lintWhen(when, at, parameters);
    const place = `${at}${made.fault.pointer}`;
    return [
      error(
        "risk_rule_broken",
        place,
        `The risk rule is not an accepted JSON Schema, at ${place}: ${made.fault.reason}`,
        remedyOf(made.fault.pointer),
      ),
    ];
  });
}

/** Keywords whose value is a schema for the same value. */
const SAME = ["not", "if", "then", "else"];
/** Keywords whose value is a list of schemas for the same value. */
const SAME_LISTS = ["allOf", "anyOf", "oneOf"];
/** Keywords whose value is a schema for another value, which has no counterpart in the parameters or is not worth finding. */
const OTHER = ["additionalProperties", "propertyNames", "contains", "additionalItems", "unevaluatedItems", "unevaluatedProperties"];
const OTHER_MAPS = ["patternProperties", "$defs", "definitions"];

const WORDS = [
  ...SAME,
  ...SAME_LISTS,
  ...OTHER,
  ...OTHER_MAPS,
  ...(
    "properties items prefixItems dependencies dependentSchemas dependentRequired required minProperties maxProperties type enum const pattern format " +
    "minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems minContains maxContains " +
    "title description default examples deprecated readOnly writeOnly contentEncoding contentMediaType contentSchema " +
    "$schema $id $anchor $ref $comment $vocabulary"
  ).split(" "),
];

/** Checks one schema of a rule. `meant` is the part of the parameters that describes the same value, or undefined if it is not known. */
function lintWhen(schema: Json | undefined, at: string, meant: Json | undefined): readonly Finding[] {
  if (!isJsonObject(schema)) return [];
  const { properties, required, items, dependentSchemas } = schema;
  const known = isJsonObject(meant) && meant["additionalProperties"] === false ? membersOf(meant) : null;
  const named = [...Object.keys(isJsonObject(properties) ? properties : {}), ...(Array.isArray(required) ? required : [])];
  return [
    ...Object.keys(schema).flatMap((word) => unknownWord(word, at)),
    ...[...new Set(named)].flatMap((name) => unknownParameter(name, at, known)),
    ...each(properties, under(at, "properties"), (name) => (isJsonObject(meant) ? membersOf(meant)[name] : undefined)),
    ...lintWhen(items, under(at, "items"), isJsonObject(meant) ? meant["items"] : undefined),
    ...each(dependentSchemas, under(at, "dependentSchemas"), () => meant),
    ...SAME.flatMap((word) => lintWhen(schema[word], under(at, word), meant)),
    ...SAME_LISTS.flatMap((word) => each(schema[word], under(at, word), () => meant)),
    ...OTHER.flatMap((word) => lintWhen(schema[word], under(at, word), undefined)),
    ...["prefixItems", ...OTHER_MAPS].flatMap((word) => each(schema[word], under(at, word), () => undefined)),
  ];
}

function each(parts: Json | undefined, at: string, meantBy: (name: string) => Json | undefined): readonly Finding[] {
  if (typeof parts !== "object" || parts === null) return [];
  return Object.entries(parts).flatMap(([name, part]) => lintWhen(part, under(at, name), meantBy(name)));
}

function membersOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function unknownWord(word: string, at: string): readonly Finding[] {
  if (WORDS.includes(word) || word.startsWith("x-")) return [];
  const meant = nearest(word.slice(0, 80), WORDS);
  return [
    error(
      "risk_rule_word",
      under(at, word),
      `The risk rule has the keyword "${word.slice(0, 80)}" at ${at}, which JSON Schema does not define.`,
      meant === null ? "Correct it, or begin it with x- to keep it to yourself." : `Did you mean "${meant}"?`,
    ),
  ];
}

function unknownParameter(name: Json, at: string, known: JsonObject | null): readonly Finding[] {
  if (known === null || typeof name !== "string" || Object.hasOwn(known, name)) return [];
  const names = Object.keys(known);
  const meant = nearest(name.slice(0, 80), names);
  return [
    error(
      "risk_rule_unknown",
      at,
      `The risk rule names "${name.slice(0, 80)}" at ${at}, which is not a parameter of the tool.`,
      `${meant === null ? "" : `Did you mean "${meant}"? `}The parameters there: ${names.slice(0, 16).join(", ") || "none"}.`,
    ),
  ];
}
