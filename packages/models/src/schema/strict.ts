import { isJsonObject, type Json } from "@toolbus/contracts";
import type { StrictRules } from "./dialect-rules.ts";

/**
 * Returns true if a compiled schema follows the rules of a strict mode. Every property must be required, and every word and format must be allowed.
 */
export function keepsStrict(schema: Json | undefined, rules: StrictRules): boolean {
  if (!isJsonObject(schema)) return false;
  const { type, properties, required, items, format } = schema;
  if (Object.keys(schema).some((word) => !FORM.has(word) && !rules.words.has(word))) return false;
  if (format !== undefined && !(typeof format === "string" && rules.formats.has(format))) return false;
  if (type === "array") return keepsStrict(items, rules);
  if (type !== "object") return true;
  const members = isJsonObject(properties) ? Object.entries(properties) : [];
  const all = Array.isArray(required) && required.length === members.length;
  return all && members.every(([, part]) => keepsStrict(part, rules));
}

const FORM: ReadonlySet<string> = new Set(["type", "description", "properties", "required", "additionalProperties", "items", "enum"]);
