import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { ToolSpec } from "../../schema/tool-spec.ts";

/** A call of the tool as a person would type it, made from its schema, with the required arguments only. */
export function exampleCall({ name, parameters }: ToolSpec): string {
  const example = exampleOf(parameters, MAX_DEPTH);
  return requiredOf(parameters).length === 0 ? name : `${name} ${spaced(example)}`;
}

/** The names of the required arguments. */
export function requiredOf(parameters: JsonObject): readonly string[] {
  return list(parameters["required"]).filter((name) => typeof name === "string");
}

const MAX_DEPTH = 4;

function exampleOf(schema: Json | undefined, depth: number): Json {
  if (!isJsonObject(schema) || depth === 0) return "text";
  const given = [schema["const"], list(schema["examples"])[0], schema["default"], list(schema["enum"])[0]].find(
    (value) => value !== undefined,
  );
  if (given !== undefined) return given;
  switch (Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"]) {
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return [exampleOf(schema["items"], depth - 1)];
    case "object":
      return exampleObject(schema, depth);
    default:
      return isJsonObject(schema["properties"]) ? exampleObject(schema, depth) : exampleText(schema);
  }
}

function exampleObject(schema: JsonObject, depth: number): JsonObject {
  const { properties } = schema;
  const known = isJsonObject(properties) ? properties : {};
  return Object.fromEntries(
    requiredOf(schema).map((name) => [name, exampleOf(Object.hasOwn(known, name) ? known[name] : undefined, depth - 1)]),
  );
}

/** The description often contains one: `Name of the release, for example "v1.4.0"`. */
function exampleText({ description }: JsonObject): string {
  const quoted =
    typeof description === "string" ? /\b(?:for example|e\.g\.|such as|example:?)\s+"([^"\n]{1,80})"/i.exec(description) : null;
  return quoted?.[1] ?? "text";
}

/** JSON text with a space after each colon and comma, as people write it. */
function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (isJsonObject(value))
    return `{${Object.entries(value)
      .map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
      .join(", ")}}`;
  return JSON.stringify(value);
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
