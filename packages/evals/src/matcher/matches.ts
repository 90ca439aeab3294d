import { foreignSchema, isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/**
 * Returns whether a value is what a matcher of a scenario describes. A plain value means an equal one, and a list means an equal list, item by item.
 * An object means an object that has at least these members. An object with an operator, such as `{ $gte: 3 }`, means what the operator says. The
 * matcher must have been checked with `matcherFault`.
 */
export function matches(matcher: Json, value: Json | undefined): boolean {
  if (isJsonObject(matcher)) {
    const operators = Object.entries(matcher).filter(([name]) => isOperator(name));
    if (operators.length > 0) return operators.every(([name, wanted]) => OPERATORS[name as Operator](wanted, value));
    return isJsonObject(value) && Object.entries(matcher).every(([name, wanted]) => matches(wanted, own(value, name)));
  }
  if (isList(matcher)) {
    return isList(value) && matcher.length === value.length && matcher.every((wanted, n) => matches(wanted, value[n]));
  }
  return matcher === value;
}

/** Returns the first fault of a matcher in words, or null if it has none. */
export function matcherFault(matcher: Json): string | null {
  if (isList(matcher)) return firstOf(matcher.map(matcherFault));
  if (!isJsonObject(matcher)) return null;
  const entries = Object.entries(matcher);
  const operators = entries.filter(([name]) => name.startsWith("$"));
  if (operators.length === 0) return firstOf(entries.map(([, wanted]) => matcherFault(wanted)));
  if (operators.length < entries.length) return `mixes ${operators[0]?.[0] ?? ""} with the names of members`;
  return firstOf(operators.map(([name, wanted]) => (isOperator(name) ? operatorFault(name, wanted) : unknownOperator(name))));
}

type Operator = "$matches" | "$in" | "$gte" | "$lte" | "$exists" | "$schema";

const OPERATORS: Readonly<Record<Operator, (wanted: Json, value: Json | undefined) => boolean>> = {
  $matches: (pattern, value) => typeof value === "string" && typeof pattern === "string" && fitsPattern(pattern, value),
  $in: (choices, value) => isList(choices) && choices.some((choice) => matches(choice, value)),
  $gte: (least, value) => typeof value === "number" && value >= Number(least),
  $lte: (most, value) => typeof value === "number" && value <= Number(most),
  $exists: (wanted, value) => (value !== undefined) === wanted,
  $schema: (schema, value) => value !== undefined && fits(schema as JsonObject, value),
};

function operatorFault(name: Operator, wanted: Json): string | null {
  switch (name) {
    case "$matches":
      return typeof wanted === "string" && isPattern(wanted)
        ? null
        : "$matches needs a regular expression without backreferences and lookbehind";
    case "$in":
      return isList(wanted) && wanted.length > 0 ? firstOf(wanted.map(matcherFault)) : "$in needs a list of values";
    case "$gte":
    case "$lte":
      return typeof wanted === "number" ? null : `${name} needs a number`;
    case "$exists":
      return typeof wanted === "boolean" ? null : "$exists needs true or false";
    case "$schema":
      return isJsonObject(wanted) && isSchema(wanted) ? null : "$schema needs a JSON Schema";
  }
}

const unknownOperator = (name: string): string => `has the unknown operator ${name}: there are ${Object.keys(OPERATORS).join(", ")}`;

const isOperator = (name: string): name is Operator => Object.hasOwn(OPERATORS, name);
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);
const own = (value: JsonObject, name: string): Json | undefined => (Object.hasOwn(value, name) ? value[name] : undefined);
const firstOf = (faults: readonly (string | null)[]): string | null => faults.find((fault) => fault !== null) ?? null;

/** Returns whether a text matches a pattern of a scenario, in linear time, so that no pattern can stop an evaluation. */
export function fitsPattern(pattern: string, text: string): boolean {
  return fits({ type: "string", pattern }, text);
}

const isPattern = (pattern: string): boolean => isSchema({ type: "string", pattern });

function isSchema(schema: JsonObject): boolean {
  return foreignSchema(schema).ok;
}

/** The check fills defaults in, so it gets a copy. */
function fits(schema: JsonObject, value: Json): boolean {
  const compiled = foreignSchema(schema);
  return compiled.ok && compiled.validate(structuredClone(value)).length === 0;
}
