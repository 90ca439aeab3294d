import type { Json, JsonObject } from "@toolbus/contracts";
import { listOf, objectOf } from "./fields.ts";

/** One schema inside another. */
export interface SchemaAt {
  readonly schema: JsonObject;
  /** The JSON pointer from the root, or "" for the root. */
  readonly pointer: string;
  /** The number of objects and arrays around the schema, or 0 for the root. */
  readonly depth: number;
}

/** Returns the schema and every schema inside it, outer ones first. It does not follow `$ref`. */
export function schemasIn(schema: Json | undefined, pointer = "", depth = 0): readonly SchemaAt[] {
  if (typeof schema === "boolean" || schema === undefined) return [];
  const here = objectOf(schema);
  const inner = (part: Json | undefined, step: string, deeper: number) => schemasIn(part, `${pointer}/${step}`, depth + deeper);
  return [
    { schema: here, pointer, depth },
    ...MAPS.flatMap((word) =>
      Object.entries(objectOf(here[word])).flatMap(([name, part]) => inner(part, `${word}/${name}`, word === "properties" ? 1 : 0)),
    ),
    ...LISTS.flatMap((word) =>
      listOf(here[word]).flatMap((part, index) => inner(part, `${word}/${index}`, word === "prefixItems" ? 1 : 0)),
    ),
    ...SINGLE.flatMap((word) => (Array.isArray(here[word]) ? [] : inner(here[word], word, 1))),
    ...SAME_LEVEL.flatMap((word) => inner(here[word], word, 0)),
  ];
}

const MAPS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const SINGLE = ["items", "additionalProperties", "contains", "unevaluatedProperties", "unevaluatedItems", "propertyNames"];
const SAME_LEVEL = ["not", "if", "then", "else"];

/** Returns the types that a schema names, or an empty list. */
export function typesOf(schema: JsonObject): readonly string[] {
  const type = schema["type"];
  return typeof type === "string" ? [type] : listOf(type).map(String);
}

/** Returns the schema that a local `$ref` points to, or undefined. */
export function refTarget(root: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith("#")) return undefined;
  return ref
    .slice(1)
    .split("/")
    .filter((step) => step !== "")
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<Json | undefined>((at, step) => (at === undefined ? undefined : (objectOf(at)[step] ?? listOf(at)[Number(step)])), root);
}
