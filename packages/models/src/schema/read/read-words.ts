import type { Json, JsonObject } from "@toolbus/contracts";
import type { Loss } from "../loss.ts";
import { under } from "../pointer.ts";
import type { KindName, Word } from "../shape.ts";

/** The words that limit values of one type, by type. */
export const WORDS: Readonly<Record<KindName, readonly string[]>> = {
  null: [],
  boolean: [],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"],
  string: ["minLength", "maxLength", "pattern", "format"],
  array: ["minItems", "maxItems", "uniqueItems"],
  object: ["minProperties", "maxProperties"],
};

export interface WordsRead {
  readonly words: ReadonlyMap<string, Word>;
  readonly losses: readonly Loss[];
}

/** Returns the limits of a schema for one type, in the words of JSON Schema 2020-12. A limit with an invalid value is ignored, which is a loss. */
export function readWords(schema: JsonObject, kind: KindName, at: string): WordsRead {
  const words = new Map<string, Word>();
  const losses: Loss[] = [];
  for (const name of WORDS[kind]) {
    const value = schema[name];
    if (value === undefined || value === null || value === NOTHING_SAID.get(name)) continue;
    const place = under(at, name);
    if (DRAFT_04.has(name) && typeof value === "boolean") continue;
    if (isSound(name, value)) words.set(name, { value: typeof value === "number" ? value + 0 : value, at: place });
    else losses.push({ pointer: place, what: `"${name}" has an invalid value, and is not passed on.` });
  }
  if (kind === "number") exclusiveOfDraft04(schema, words);
  return { words, losses };
}

const NOTHING_SAID: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["minLength", 0],
  ["minItems", 0],
  ["minProperties", 0],
  ["uniqueItems", false],
]);

const DRAFT_04: ReadonlySet<string> = new Set(["exclusiveMinimum", "exclusiveMaximum"]);

/** Converts `exclusiveMinimum: true` beside a `minimum` (draft-04) into a number, as in today's JSON Schema. */
function exclusiveOfDraft04(schema: JsonObject, words: Map<string, Word>): void {
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const bound = words.get(inclusive);
    if (schema[exclusive] !== true || !bound) continue;
    words.delete(inclusive);
    words.set(exclusive, bound);
  }
}

function isSound(name: string, value: Json): value is Word["value"] {
  switch (name) {
    case "pattern":
    case "format":
      return typeof value === "string" && value.length <= MAX_TEXT;
    case "uniqueItems":
      return typeof value === "boolean";
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return Number.isFinite(value);
    case "multipleOf":
      return Number.isFinite(value) && (value as number) > 0;
    default:
      return Number.isSafeInteger(value) && (value as number) >= 0;
  }
}

const MAX_TEXT = 2000;
