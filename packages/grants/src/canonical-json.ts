import type { Json } from "@toolbus/contracts";
import { plainText } from "./plain-json.ts";

/**
 * Returns the canonical text of a JSON value (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers as ECMAScript prints them. Equal
 * values have equal texts, so a hash of the text is a hash of the value. Throws a TypeError for a value that JSON cannot represent unchanged: a
 * number that is not finite, a lone surrogate, `undefined`, a bigint, a function.
 */
export function canonicalJson(value: Json): string {
  return plainText(value) ?? written(value);
}

function written(value: Json): string {
  switch (typeof value) {
    case "string":
      return canonicalString(value);
    case "number":
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form.`);
      return JSON.stringify(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      // Array.from also visits holes, which map would skip.
      return isArray(value) ? `[${Array.from(value, (item) => written(item)).join(",")}]` : canonicalObject(value);
    default:
      // The types exclude this value. JSON.stringify would omit it, and then two different values would have the same text.
      throw new TypeError(`A value of type ${typeof value} has no JSON form.`);
  }
}

function canonicalObject(value: { readonly [key: string]: Json }): string {
  const members: string[] = [];
  // Without a comparator, sort compares UTF-16 code units, as RFC 8785 requires.
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) throw new TypeError(`The member ${JSON.stringify(key)} is undefined, which has no JSON form.`);
    members.push(`${canonicalString(key)}:${written(member)}`);
  }
  return `{${members.join(",")}}`;
}

function canonicalString(text: string): string {
  if (!text.isWellFormed()) throw new TypeError("A string with a lone surrogate has no canonical JSON form.");
  return JSON.stringify(text);
}

// Array.isArray does not narrow readonly arrays.
function isArray(value: object): value is readonly Json[] {
  return Array.isArray(value);
}
