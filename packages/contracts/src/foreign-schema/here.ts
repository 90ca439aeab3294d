import type { Json, JsonObject } from "../json.ts";
import type { Check } from "./check.ts";
import type { LinearPattern } from "./linear-pattern.ts";
import type { SCHEMA_LIMITS } from "./limits.ts";

/** The current place in a schema while its keywords are compiled: each invalid keyword is refused with its pointer. */
export interface Here {
  /** Throws: names this keyword of the schema, with a sentence about it that begins with the keyword. */
  refuse(word: string, reason: string): never;
  /** Counts against a limit of the whole schema. */
  count(limit: keyof typeof SCHEMA_LIMITS, by: number, word: string): void;
  /** A number, or nothing if the keyword is missing. */
  number(schema: JsonObject, word: string): number | undefined;
  /** A whole number from 0 on, or nothing if the keyword is missing. */
  size(schema: JsonObject, word: string): number | undefined;
  texts(word: string, value: Json): readonly string[];
  pattern(word: string, source: Json, member?: string): LinearPattern;
  /** A schema inside this one. `same` marks one for the same value: an alternative, a reference. */
  schema(value: Json, place: readonly (string | number)[], about: "same" | "member"): Check;
  /** The schemas in a list or a map under a keyword. */
  list(word: string, value: Json, about: "same" | "member"): readonly Check[];
  map(word: string, value: Json, about: "same" | "member"): ReadonlyMap<string, Check>;
  /** The schema that a reference leads to. */
  reference(value: Json): Check;
}
