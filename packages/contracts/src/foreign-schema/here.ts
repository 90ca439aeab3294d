import type { Json, JsonObject } from "../json.ts";
import type { Check } from "./check.ts";
import type { LinearPattern } from "./linear-pattern.ts";
import type { SCHEMA_LIMITS } from "./limits.ts";

/** The place of a schema while its keywords are compiled: every word of it that is no JSON Schema is refused with its pointer. */
export interface Here {
  /** Throws: this word of the schema, and a sentence about it that begins with the word. */
  refuse(word: string, reason: string): never;
  /** Counts against a limit of the whole schema. */
  count(limit: keyof typeof SCHEMA_LIMITS, by: number, word: string): void;
  /** A number, or nothing where the word is missing. */
  number(schema: JsonObject, word: string): number | undefined;
  /** A whole number from 0 on, or nothing where the word is missing. */
  size(schema: JsonObject, word: string): number | undefined;
  texts(word: string, value: Json): readonly string[];
  pattern(word: string, source: Json, member?: string): LinearPattern;
  /** A schema inside this one. `same` is one for the same value: an alternative, a reference. */
  schema(value: Json, place: readonly (string | number)[], about: "same" | "member"): Check;
  /** Those of a list or a map under a word. */
  list(word: string, value: Json, about: "same" | "member"): readonly Check[];
  map(word: string, value: Json, about: "same" | "member"): ReadonlyMap<string, Check>;
  /** The schema that a reference leads to. */
  reference(value: Json): Check;
}
