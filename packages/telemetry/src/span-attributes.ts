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
    if (typeof value === "string") kept[name] = cleanText(value);
    else if (typeof value === "object") kept[name] = value.map(cleanText);
    else if (value !== undefined) kept[name] = value;
  }
}

function cleanText(text: string): string {
  if (text.length <= LONGEST_VALUE) return redactText(text).slice(0, LONGEST_VALUE);
  return redactText(text.slice(0, LONGEST_VALUE * 2)).slice(0, LONGEST_VALUE);
}
