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

/** The last values of each name that had nothing to redact, in turn. Most names have few values, and a comparison costs less than the search. */
const harmless = new Map<string, { readonly values: string[]; oldest: number }>();
const MOST_NAMES = 1000;
const MOST_VALUES = 4;

function cleanValue(name: string, value: string): string {
  const known = harmless.get(name);
  if (known?.values.includes(value)) return value;
  const cleaned = cleanText(value);
  if (cleaned !== value) return cleaned;
  if (known) {
    known.values[known.oldest] = value;
    known.oldest = (known.oldest + 1) % MOST_VALUES;
  } else if (harmless.size < MOST_NAMES) harmless.set(name, { values: [value], oldest: 1 });
  return value;
}

function cleanText(text: string): string {
  if (text.length <= LONGEST_VALUE) return redactText(text).slice(0, LONGEST_VALUE);
  return redactText(text.slice(0, LONGEST_VALUE * 2)).slice(0, LONGEST_VALUE);
}
