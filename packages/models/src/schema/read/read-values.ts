import type { Json, JsonObject } from "@toolbus/contracts";
import { under } from "../pointer.ts";
import type { KindName, Values } from "../shape.ts";
import { faulty, type Place, type Reading } from "./reading.ts";

/** Returns the words `enum` and `const` as one list, grouped by type and without duplicates. Returns null if neither word is present. */
export function readValues(schema: JsonObject, place: Place, reading: Reading): ReadonlyMap<KindName, Values> | null {
  const listed = listedValues(schema, place, reading);
  if (!listed) return null;
  const at = under(place.at, listed.word);
  const kinds = new Map<KindName, Json[]>();
  const seen = new Set<unknown>();
  for (const value of listed.values) {
    const kind = kindOf(value);
    if (!kind) continue;
    const known = kinds.get(kind) ?? [];
    kinds.set(kind, known);
    const mark = typeof value === "object" && value !== null ? marked(value) : value;
    if (seen.has(mark)) continue;
    seen.add(mark);
    // Minus zero is written as zero.
    known.push(value === 0 ? 0 : value);
  }
  return new Map([...kinds].map(([kind, list]) => [kind, { list, at }]));
}

function listedValues({ enum: list, const: only }: JsonObject, { at }: Place, reading: Reading) {
  if (only !== undefined) {
    const ruledOut = Array.isArray(list) && !(list as readonly Json[]).some((value) => sameValue(value, only));
    return { word: "const", values: ruledOut ? [] : [only] };
  }
  if (list === undefined || list === null) return null;
  if (Array.isArray(list)) return { word: "enum", values: list as readonly Json[] };
  faulty(reading, under(at, "enum"), 'The "enum" is not a list; write the allowed values as a JSON array.');
  return null;
}

/** Returns the type of a value, or null for a value that JSON cannot express, such as infinity. */
function kindOf(value: Json | undefined): KindName | null {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  if (type === "number") return Number.isFinite(value) ? "number" : null;
  return type === "string" || type === "boolean" || type === "object" ? type : null;
}

/** Returns true for equal JSON values. Composite values are equal only if their JSON text is equal. */
export function sameValue(a: Json, b: Json): boolean {
  return a === b || (typeof a === "object" && typeof b === "object" && a !== null && b !== null && marked(a) === marked(b));
}

function marked(value: Json): unknown {
  try {
    return JSON.stringify(value);
  } catch {
    // The value is too deep to be written, so it equals no other value.
    return {};
  }
}
