import { foreignSchema, isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { DraftDefinition } from "../tool/tool.ts";
import { error, type Finding, under, warning } from "./finding.ts";
import { remedyOf } from "./remedy-of.ts";

/**
 * Checks that every model provider understands the parameters, and that every validator reads them in the same way. Less is accepted than in JSON
 * Schema 2020-12: an object with listed properties, each with one type, written out where it is used.
 */
export function lintSchema({ parameters }: DraftDefinition): readonly Finding[] {
  if (parameters["type"] !== "object" || !isJsonObject(parameters["properties"]))
    return [
      error(
        "schema_root",
        ROOT,
        'The parameters are not an object with properties: they must be a JSON Schema with "type": "object".',
        'Write {"type": "object", "properties": {…}, "additionalProperties": false}; a tool without parameters has "properties": {}.',
      ),
    ];
  const findings = lintPart(parameters, ROOT);
  return findings.some(({ level }) => level === "error") ? findings : [...findings, ...lintCompiled(parameters)];
}

const ROOT = "/parameters";
const TYPES = ["string", "number", "integer", "boolean", "array", "object"];

const WORDS: ReadonlySet<string> = new Set(
  (
    "type title description default examples deprecated $comment enum const format pattern minLength maxLength " +
    "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf items minItems maxItems uniqueItems " +
    "properties required additionalProperties minProperties maxProperties propertyNames"
  ).split(" "),
);

const GIVE_TYPE = `Give it one "type": ${TYPES.join(", ")}.`;
const WRITE_OUT = "Write the schema out where it is used; one that contains itself cannot be offered to a model.";
const CHECK_IN_HANDLER = "State it in the description and check it in the handler.";
const ONE_FORM = "Choose one form; two forms are two parameters, or two tools.";
const ONE_ITEM = 'Give the array one "items" schema, or make it an object with named properties.';
const LEAVE_OUT = 'Leave the parameter out of "required" instead of letting it be null.';
const LIST_PROPERTIES = 'List the properties under "properties".';

/** The keywords of JSON Schema that providers drop, refuse or read differently, with what to write instead. */
const REFUSED: ReadonlyMap<string, string> = new Map<string, string>([
  ["$schema", "Write JSON Schema 2020-12 or draft-07; $schema may be left out."],
  ["allOf", "Merge its parts into one schema."],
  ["nullable", LEAVE_OUT],
  ...remedied(WRITE_OUT, "$ref", "$dynamicRef", "$defs", "definitions", "$id", "id", "$anchor", "$dynamicAnchor"),
  ...remedied(ONE_FORM, "anyOf", "oneOf"),
  ...remedied(CHECK_IN_HANDLER, "not", "if", "then", "else", "dependencies", "dependentSchemas", "dependentRequired"),
  ...remedied(ONE_ITEM, "prefixItems", "additionalItems", "unevaluatedItems", "contains"),
  ...remedied(LIST_PROPERTIES, "patternProperties", "unevaluatedProperties"),
]);

function remedied(remedy: string, ...words: readonly string[]): readonly (readonly [string, string])[] {
  return words.map((word) => [word, remedy]);
}

function lintPart(schema: Json, at: string): readonly Finding[] {
  if (!isJsonObject(schema) || Object.keys(schema).length === 0)
    return [error("schema_empty", at, `The schema at ${at} accepts any value.`, GIVE_TYPE)];
  const findings = [...lintWords(schema, at), ...lintType(schema, at)];
  if (schema["type"] === "array") return [...findings, ...lintItems(schema, at)];
  // The schema of items may have properties but no type.
  return schema["type"] === "object" || schema["properties"] !== undefined ? [...findings, ...lintMembers(schema, at)] : findings;
}

function lintWords(schema: JsonObject, at: string): readonly Finding[] {
  return Object.keys(schema).flatMap((word) => {
    if (WORDS.has(word) || word.startsWith("x-")) return [];
    const remedy = REFUSED.get(word);
    if (remedy !== undefined) return [error("schema_word", under(at, word), `The schema at ${at} has the keyword "${word}".`, remedy)];
    const message = `The schema at ${at} has the keyword "${word.slice(0, 80)}", which JSON Schema does not define.`;
    return [warning("schema_unknown_word", under(at, word), message, "Correct it, or begin it with x- to keep it to yourself.")];
  });
}

function lintType({ type, properties }: JsonObject, at: string): readonly Finding[] {
  if (typeof type === "string" && TYPES.includes(type)) return [];
  if (type === undefined && at.endsWith("/items") && properties !== undefined) return [];
  if (type === undefined) return [error("schema_type", at, `The schema at ${at} has no type.`, GIVE_TYPE)];
  if (Array.isArray(type))
    return [error("schema_type", under(at, "type"), `The schema at ${at} has several types.`, `${GIVE_TYPE} ${LEAVE_OUT}`)];
  return [error("schema_type", under(at, "type"), `The schema at ${at} has the unknown type ${JSON.stringify(type)}.`, GIVE_TYPE)];
}

function lintItems({ items }: JsonObject, at: string): readonly Finding[] {
  if (Array.isArray(items)) return [error("schema_items", under(at, "items"), `The schema at ${at} has a list of items.`, ONE_ITEM)];
  if (items === undefined)
    return [
      error("schema_items", at, `The array at ${at} does not say what it holds.`, 'Give it "items" with a type, or with properties.'),
    ];
  return lintPart(items, under(at, "items"));
}

function lintMembers(schema: JsonObject, at: string): readonly Finding[] {
  const { properties, required, additionalProperties: others } = schema;
  if (properties === undefined && (others === undefined || others === true))
    return [
      warning(
        "schema_open",
        at,
        `The object at ${at} accepts any members.`,
        'List them under "properties", or give "additionalProperties" a type.',
      ),
    ];
  if (properties !== undefined && !isJsonObject(properties))
    return [error("schema_properties", under(at, "properties"), `The "properties" at ${at} are not an object.`, LIST_PROPERTIES)];
  const known = properties ?? {};
  return [
    ...Object.entries(known).flatMap(([name, part]) => lintPart(part, under(`${at}/properties`, name))),
    ...lintRequired(required, known, at),
    ...lintOthers(schema, at),
  ];
}

function lintRequired(required: Json | undefined, known: JsonObject, at: string): readonly Finding[] {
  if (!Array.isArray(required)) return [];
  return required
    .filter((name): name is string => typeof name === "string" && !Object.hasOwn(known, name))
    .map((name) =>
      error(
        "required_unknown",
        under(at, "required"),
        `The schema at ${at} requires "${name.slice(0, 80)}", which is not one of its properties.`,
        'Correct the name, or add it to "properties".',
      ),
    );
}

/**
 * Checks `additionalProperties`. If it is a schema, the object is a map. A single parameter may be a map, but the object of all parameters may not.
 */
function lintOthers({ additionalProperties: others }: JsonObject, at: string): readonly Finding[] {
  if (others === false) return [];
  if (isJsonObject(others) && at !== ROOT) return lintPart(others, under(at, "additionalProperties"));
  return [
    error(
      "additional_properties",
      under(at, "additionalProperties"),
      `The object at ${at} accepts members that it does not list.`,
      'Write "additionalProperties": false.',
    ),
  ];
}

/** Compiles the parameters, because the compiler finds values of a wrong type, such as a minimum in quotes, and values over a limit. */
function lintCompiled(parameters: JsonObject): readonly Finding[] {
  const made = foreignSchema(parameters);
  if (made.ok) return [];
  const { pointer, reason } = made.fault;
  const at = `${ROOT}${pointer}`;
  return [error("schema_broken", at, `The parameters are not an accepted JSON Schema, at ${at}: ${reason}`, remedyOf(pointer))];
}
