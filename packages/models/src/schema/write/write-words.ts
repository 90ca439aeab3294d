import type { Json, JsonObject } from "@toolbus/contracts";
import type { Kind, KindName, Word } from "../shape.ts";
import type { DialectRules } from "../dialect-rules.ts";
import { lose, type Writing } from "./writing.ts";

export interface WordsWritten {
  readonly written: JsonObject;
  /** The limits that the vendor does not receive, as sentences. */
  readonly notes: readonly string[];
}

/** Returns the limits that the dialect accepts. The description mentions the other limits, and each of them is a loss. */
export function writeWords(name: KindName, kind: Kind, writing: Writing): WordsWritten {
  const written: Record<string, Json> = {};
  const notes: string[] = [];
  for (const [word, bound] of inclusive(kind, writing.rules)) {
    if (takes(word, bound.value, writing.rules, name)) {
      written[word] = bound.value;
      continue;
    }
    lose(writing, bound.at, `"${word}": ${shortly(bound.value)} is not passed on.`);
    if (shortly(bound.value).length <= MAX_REPORTED) notes.push(`${word}: ${shortly(bound.value)}`);
  }
  return { written, notes: notes.length === 0 ? [] : [`(${notes.join("; ")})`] };
}

const MAX_REPORTED = 120;

function takes(word: string, value: Word["value"], rules: DialectRules, name: KindName): boolean {
  if (!rules.words.has(word)) return false;
  if (word === "format") return name === "string" && rules.formats.has(String(value));
  return word !== "pattern" || rules.anyPattern || isPlainPattern(String(value));
}

/** Replaces the exclusive bounds of whole numbers with the next inclusive ones, which every dialect with bounds accepts. */
function inclusive({ words, integer }: Kind, rules: DialectRules): ReadonlyMap<string, Word> {
  if (!integer) return words;
  const same = new Map(words);
  for (const [exclusive, bound, step] of [
    ["exclusiveMinimum", "minimum", 1],
    ["exclusiveMaximum", "maximum", -1],
  ] as const) {
    const word = words.get(exclusive);
    if (rules.words.has(exclusive) || !word || typeof word.value !== "number" || !Number.isSafeInteger(Math.trunc(word.value))) continue;
    const next = step === 1 ? Math.floor(word.value) + 1 : Math.ceil(word.value) - 1;
    const own = words.get(bound)?.value;
    same.delete(exclusive);
    if (typeof own !== "number" || (step === 1 ? own < next : own > next)) same.set(bound, { value: next + 0, at: word.at });
  }
  return same;
}

/**
 * Returns true for a regular expression that every engine reads the same way. It has no lookaround, named or special group, back reference or Unicode
 * class.
 */
function isPlainPattern(pattern: string): boolean {
  if (
    /\(\?(?!:)/.test(pattern) ||
    /\\(?!u[0-9a-fA-F]{4})[^dDwWsSnrtfv.\\/\-^$*+?()[\]{}|]/.test(pattern) ||
    !/^[\x20-\x7e]*$/.test(pattern)
  )
    return false;
  try {
    // Engines read an unescaped "-" or "]" in a class differently. The flag "u" makes JavaScript refuse such a pattern.
    return new RegExp(pattern, "u").source.length > 0;
  } catch {
    return false;
  }
}

function shortly(value: Word["value"]): string {
  return typeof value === "string" ? value.slice(0, 200) : String(value);
}
