import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** Arguments for a person to copy. `complete` is false if they contain a `<name>` that the person has to replace first. */
export interface ExampleArguments {
  readonly arguments: JsonObject;
  readonly complete: boolean;
}

/** The longest example that a worker may declare, in characters of JSON. */
export const MAX_EXAMPLE_CHARS = 1000;

/**
 * Returns example arguments for a tool. They are the arguments that the tool's workers declared as JSON text, if that text can be read. Otherwise
 * they contain only what the schema requires, with the values that the schema names (`const`, `examples`, `default`, `enum`). A number obeys the
 * minimum, and `<name>` replaces an unknown text. Examples in a description are not used, because they may not exist on this system.
 */
export function exampleArguments(parameters: JsonObject, declared?: string): ExampleArguments {
  const own = declared === undefined ? null : objectIn(declared);
  if (own !== null) return { arguments: own, complete: true };
  const made = exampleObject(parameters, MAX_DEPTH);
  return { arguments: made, complete: !hasPlaceholder(made) };
}

const MAX_DEPTH = 4;

/** Returns the names of the arguments that a call must have. */
export function requiredArguments(parameters: JsonObject): readonly string[] {
  return list(parameters["required"]).filter((name) => typeof name === "string");
}

function exampleObject(schema: JsonObject, depth: number): JsonObject {
  const { properties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(
    requiredArguments(schema).map((name) => [name, exampleOf(name, Object.hasOwn(known, name) ? known[name] : undefined, depth - 1)]),
  );
}

function exampleOf(name: string, schema: Json | undefined, depth: number): Json {
  if (!isJsonObject(schema) || depth === 0) return placeholder(name);
  const given = [schema["const"], list(schema["examples"])[0], schema["default"], list(schema["enum"])[0]].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  switch (Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]) {
    case "integer":
    case "number":
      return exampleNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [exampleOf(name, schema["items"], depth - 1)];
    case "object":
      return exampleObject(schema, depth);
    default:
      return isJsonObject(schema["properties"]) ? exampleObject(schema, depth) : placeholder(name);
  }
}

function exampleNumber({ minimum, exclusiveMinimum }: JsonObject): number {
  if (typeof minimum === "number") return minimum;
  return typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : 1;
}

const PLACEHOLDER = /^<[^<>]+>$/;

function placeholder(name: string): string {
  return `<${name.replace(/[<>]/g, "") || "text"}>`;
}

function hasPlaceholder(value: Json): boolean {
  if (typeof value === "string") return PLACEHOLDER.test(value);
  if (Array.isArray(value)) return value.some(hasPlaceholder);
  return isJsonObject(value) && Object.values(value).some((member) => member !== undefined && hasPlaceholder(member));
}

function objectIn(text: string): JsonObject | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
