import type { Json, JsonObject } from "@toolbus/contracts";
import type { Kind, KindName, Shape } from "../shape.ts";
import { describe } from "./describe.ts";
import { asJsonText } from "./json-text.ts";
import { writeWords } from "./write-words.ts";
import { lose, type WriteResult, type Writing, type Spot } from "./writing.ts";

/** Writes a string, number or boolean. */
export function writeScalar(shape: Shape, name: KindName, kind: Kind, spot: Spot, writing: Writing): WriteResult {
  const type = name === "number" && isInteger(kind) ? "integer" : name;
  const values = kind.values ? allowedValues(kind.values.list, kind.values.at, writing) : null;
  if (values && !writing.rules.enumTypes.has(type) && !isWhole(name, values)) {
    for (const [word, { at }] of kind.words) lose(writing, at, `"${word}" of listed values is not passed on.`);
    return asJsonText(shape, spot, writing, { form: name === "boolean" ? "boolean" : "number", values });
  }
  const { written, notes } = writeWords(name, kind, writing);
  const listed = values && !isWhole(name, values) ? fitting(values, kind, writing) : null;
  const description = describe(shape, spot.name, [...notes, ...spot.notes], writing);
  const schema: JsonObject = { type, ...(description ? { description } : {}), ...(listed ? { enum: listed } : {}), ...written };
  return { ok: true, schema, plan: null };
}

function isInteger({ integer, values }: Kind): boolean {
  return integer || (values?.list.every((value) => Number.isInteger(value)) ?? false);
}

/** Returns true for a list of both booleans, which excludes no value. */
function isWhole(name: KindName, values: readonly Json[]): boolean {
  return name === "boolean" && values.length === 2;
}

/**
 * Returns the values without those that some parser refuses: texts with lone surrogates or the zero character, and "". Returns null if no value
 * remains.
 */
function allowedValues(list: readonly Json[], at: string, writing: Writing): readonly Json[] | null {
  const good = list.filter((value) => typeof value !== "string" || (value.isWellFormed() && !value.includes("\u0000") && value !== ""));
  if (good.length === list.length) return list;
  if (good.length === 0) {
    lose(writing, at, "Values that not every parser accepts are not passed on as a list.");
    return null;
  }
  lose(writing, at, "Values that are empty, or that not every parser accepts, are not offered.");
  return good;
}

/** Returns the list if its length is within the dialect's limit, else null. */
function fitting(values: readonly Json[], kind: Kind, writing: Writing): readonly Json[] | null {
  const { enumValues, enumChars } = writing.rules;
  const chars = values.reduce<number>((sum, value) => sum + JSON.stringify(value).length, 0);
  if (writing.enumValues + values.length <= enumValues && chars <= enumChars) {
    writing.enumValues += values.length;
    return values;
  }
  lose(writing, kind.values?.at ?? "", `A list of ${values.length} values is too long to be passed on.`);
  return null;
}
