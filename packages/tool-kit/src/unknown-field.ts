import { nearest } from "@toolbus/contracts";

/** Returns why an object has a field that nobody reads, with the name that was probably meant. Returns null if every field is known. */
export function unknownField(given: object, known: readonly string[]): string | null {
  const field = Object.keys(given).find((one) => !known.includes(one));
  if (field === undefined) return null;
  const meant = nearest(field, known);
  const remedy = meant === null ? `use ${known.join(", ")}` : `use "${meant}"`;
  return `has the unknown field ${JSON.stringify(field.slice(0, 80))}: ${remedy}.`;
}
