import type { Json, JsonObject } from "@toolbus/contracts";
import type { Loss } from "../loss.ts";
import { under } from "../pointer.ts";
import { KINDS, type KindName } from "../shape.ts";
import { faulty, type Place, type Reading } from "./reading.ts";

export interface Types {
  /** The allowed types, or null if the schema names none. */
  readonly names: ReadonlySet<KindName> | null;
  /** True if only whole numbers are allowed. */
  readonly integer: boolean;
  readonly losses: readonly Loss[];
}

/**
 * Reads the word `type` in all its forms. It may be one type or a list, with `nullable` beside it (OpenAPI 3.0), and may use the names of other
 * languages.
 */
export function readTypes({ type, nullable }: JsonObject, { at }: Place, reading: Reading): Types {
  const unsaid: Types = { names: null, integer: false, losses: [] };
  if (type === undefined || type === null) return unsaid;
  const list: readonly Json[] = Array.isArray(type) ? type : [type];
  const losses: Loss[] = [];
  const names = new Set<string>();
  for (const each of list.slice(0, 64)) {
    const known = typeof each === "string" ? typeNamed(each) : undefined;
    if (known === undefined) {
      faulty(reading, under(at, "type"), `The type ${shown(each)} is not one of JSON Schema; write ${TYPES}.`);
      return unsaid;
    }
    if (known !== each) losses.push({ pointer: under(at, "type"), what: `The type ${shown(each)} is read as "${known}".` });
    if (known === "any") return { ...unsaid, losses };
    names.add(known);
  }
  if (names.size === 0) {
    faulty(reading, under(at, "type"), `The list of types is empty; write ${TYPES}.`);
    return unsaid;
  }
  if (nullable === true) names.add("null");
  const kinds = new Set(KINDS.filter((name) => names.has(name) || (name === "number" && names.has("integer"))));
  return { names: kinds, integer: !names.has("number"), losses };
}

const TYPES = "string, number, integer, boolean, array or object";

function typeNamed(name: string): string | undefined {
  if (name === "integer" || (KINDS as readonly string[]).includes(name)) return name;
  return OTHER_NAMES.get(name.toLowerCase());
}

/** The names that generators write for types of other languages. The names of JSON types in another case are allowed too. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    any: "any mixed unknown *",
    null: "null none nil",
    boolean: "boolean bool",
    integer: "integer int int32 int64 long short uint",
    number: "number float double decimal numeric",
    string: "string str text char date datetime date-time uuid uri url file binary password",
    array: "array list tuple set sequence",
    object: "object dict map record hash struct json",
  }).flatMap(([type, names]) => names.split(" ").map((name) => [name, type] as const)),
);

function shown(value: Json): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : `of the kind ${Array.isArray(value) ? "array" : typeof value}`;
}
