import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";
import type { Loss } from "../loss.ts";
import { under } from "../pointer.ts";
import { KINDS, type KindName } from "../shape.ts";

export interface Dropped {
  /** The losses for every kind. */
  readonly losses: readonly Loss[];
  /** The losses that apply to one kind. They are irrelevant if the compiler chooses another kind. */
  readonly byKind: ReadonlyMap<KindName, readonly Loss[]>;
  /** The kinds that `not` excludes as a whole. */
  readonly ruledOut: ReadonlySet<KindName>;
}

/** Returns the losses for words that no vendor accepts and that have no simpler equivalent. A word without effect is no loss. */
export function droppedWords(schema: JsonObject, at: string): Dropped {
  const losses: Loss[] = [];
  const byKind = new Map<KindName, Loss[]>();
  const lose = (word: string, kind?: KindName) => {
    const loss: Loss = { pointer: under(at, word), what: `"${word}" is not passed on.` };
    if (kind) byKind.set(kind, [...(byKind.get(kind) ?? []), loss]);
    else losses.push(loss);
  };
  for (const [word, kind] of DROPPED) {
    const value = schema[word];
    if (value !== undefined && value !== null && !saysNothing(word, value, schema)) lose(word, kind);
  }
  const ruledOut = kindsOf(schema["not"]);
  if (schema["not"] !== undefined && schema["not"] !== null && ruledOut.size === 0 && schema["not"] !== false) lose("not");
  return { losses, byKind, ruledOut };
}

const DROPPED: readonly (readonly [string, KindName?])[] = [
  ["if"],
  ["dependencies", "object"],
  ["dependentRequired", "object"],
  ["dependentSchemas", "object"],
  ["contains", "array"],
  ["unevaluatedItems", "array"],
];

function saysNothing(word: string, value: Json, schema: JsonObject): boolean {
  if (word === "if") return schema["then"] === undefined && schema["else"] === undefined;
  if (word === "unevaluatedItems") return value === true;
  return isJsonObject(value) && word !== "contains" && Object.keys(value).length === 0;
}

/** Returns the kinds in `{"not": {"type": …}}`, if `not` has no other word. Whole numbers are not a separate kind. */
function kindsOf(not: Json | undefined): ReadonlySet<KindName> {
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) return new Set(KINDS);
  if (!isJsonObject(not) || Object.keys(not).length !== 1) return new Set();
  const type = not["type"] ?? (not["const"] === null || isOnlyNull(not["enum"]) ? "null" : undefined);
  const names: readonly Json[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const kinds = KINDS.filter((name) => names.includes(name));
  return new Set(kinds.length === names.length ? kinds : []);
}

function isOnlyNull(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === null;
}
