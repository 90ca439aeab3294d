import type { Attributes } from "./recorder.ts";
import { redactText } from "./redact.ts";

/** Returns the tags of a measurement, redacted. */
export function redactedTags(tags: Attributes): Attributes {
  const kept: Record<string, Attributes[string]> = {};
  for (const name in tags) {
    const value = tags[name];
    if (value !== undefined) kept[name] = typeof value === "string" ? redactText(value) : value;
  }
  return kept;
}
