import type { Json } from "@toolbus/contracts";

/**
 * Returns the stable text of a value, for signatures of documents. Members are sorted as in RFC 8785, and there is no white space. Unlike canonical
 * JSON, this text exists for every value in a store. A lone surrogate, which a stranger may have sent, is written as its escape.
 */
export function stableJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(stableJson).join(",")}]`;
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .toSorted(byCodeUnits)
    .map((name) => `${JSON.stringify(name)}:${stableJson(value[name] ?? null)}`);
  return `{${members.join(",")}}`;
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
