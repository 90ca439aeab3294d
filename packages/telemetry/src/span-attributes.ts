import type { Attributes } from "./recorder.ts";
import { redactText } from "./redact.ts";

const LONGEST_VALUE = 512;

/** Returns the attributes, redacted and truncated. An attribute is a name, an id or a figure, and never a content. */
export function clean(attributes: Attributes): Attributes {
  const kept: Record<string, Attributes[string]> = {};
  addClean(kept, attributes);
  return kept;
}

/** Adds the attributes to others, redacted and truncated, without a copy of them. */
export function addClean(kept: Record<string, Attributes[string]>, attributes: Attributes): void {
  for (const name in attributes) {
    const value = attributes[name];
    if (typeof value === "string") kept[name] = cleanValue(name, value);
    else if (typeof value === "object") kept[name] = value.map(cleanText);
    else if (value !== undefined) kept[name] = value;
  }
}

/** Returns the name of a span, redacted. */
export function cleanName(name: string): string {
  return harmlessOr(redactText, names, name);
}

/** The last texts of one kind that had nothing to redact, in turn. Most kinds have few texts, and a comparison costs less than the search. */
interface Harmless {
  readonly texts: string[];
  oldest: number;
}

const names: Harmless = { texts: [], oldest: 0 };
const values = new Map<string, Harmless>();
const MOST_NAMES = 1000;
const MOST_TEXTS = 6;

function cleanValue(name: string, value: string): string {
  let known = values.get(name);
  if (!known) {
    if (values.size >= MOST_NAMES) return cleanText(value);
    known = { texts: [], oldest: 0 };
    values.set(name, known);
  }
  return harmlessOr(cleanText, known, value);
}

function harmlessOr(cleaned: (text: string) => string, known: Harmless, text: string): string {
  if (known.texts.includes(text)) return text;
  const clean = cleaned(text);
  if (clean !== text) return clean;
  known.texts[known.oldest] = text;
  known.oldest = (known.oldest + 1) % MOST_TEXTS;
  return text;
}

function cleanText(text: string): string {
  if (text.length <= LONGEST_VALUE) return redactText(text).slice(0, LONGEST_VALUE);
  return redactText(text.slice(0, LONGEST_VALUE * 2)).slice(0, LONGEST_VALUE);
}
