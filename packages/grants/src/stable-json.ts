import type { Json } from "@toolbus/contracts";

/**
 * Returns the stable text of a value, for signatures of documents. Members are sorted as in RFC 8785, and there is no white space. Unlike canonical
 * JSON, this text exists for every value in a store. A lone surrogate, which a stranger may have sent, is written as its escape.
 */
export function stableJson(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(stableJson).join(",")}]`;
  let members = "";
  // Without a comparator, sort compares UTF-16 code units, as RFC 8785 requires.
  for (const name of Object.keys(value).sort()) {
    const member = value[name];
    if (member !== undefined) members += `${members === "" ? "" : ","}${JSON.stringify(name)}:${stableJson(member)}`;
  }
  return `{${members}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
