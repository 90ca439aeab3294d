import type { Json } from "@toolbus/contracts";

/** Returns the value with lone surrogates replaced, because canonical JSON has no text for them. */
export function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(wellFormed);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.toWellFormed(), wellFormed(part)]));
}
