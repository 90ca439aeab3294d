import type { Json, JsonObject } from "../json.ts";
import type { Check } from "./check.ts";
import type { LinearPattern } from "./linear-pattern.ts";
import type { SCHEMA_LIMITS } from "./limits.ts";

/** The current place in a schema while its keywords are compiled. It refuses an invalid keyword with a pointer to it. */
export interface Here {
  /** Throws `SchemaRefused` with the place of this keyword. The message begins with the keyword and continues with `reason`. */
  refuse(word: string, reason: string): never;
  /** Adds to the count for a limit of the whole schema. Throws if the limit is exceeded. */
  count(limit: keyof typeof SCHEMA_LIMITS, by: number, word: string): void;
  /** Returns the number, or undefined if the keyword is missing. Throws if the value is not a number. */
  number(schema: JsonObject, word: string): number | undefined;
  /** Returns the whole number, or undefined if the keyword is missing. Throws if the value is not a whole number of at least 0. */
  size(schema: JsonObject, word: string): number | undefined;
  texts(word: string, value: Json): readonly string[];
  pattern(word: string, source: Json, member?: string): LinearPattern;
  /** Returns the check of a schema inside this one. `same` means that it checks the same value, as an alternative or a reference does. */
  schema(value: Json, place: readonly (string | number)[], about: "same" | "member"): Check;
  /** Returns the checks of the schemas in a list under a keyword. `map` does the same for an object of schemas. */
  list(word: string, value: Json, about: "same" | "member"): readonly Check[];
  map(word: string, value: Json, about: "same" | "member"): ReadonlyMap<string, Check>;
  /** Returns the check of the schema that a reference names. */
  reference(value: Json): Check;
}
