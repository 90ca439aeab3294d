import { isJsonObject, type Json } from "@toolbus/contracts";
import type { CompiledTool } from "../compile-tool.ts";
import type { DialectName } from "../dialect.ts";

/**
 * Returns the ways in which a compiled tool breaks a vendor's rules, or an empty list. This file repeats the rules with figures and words of its own.
 * If the check used the compiler's own rules, it could not find their faults.
 */
export function formFaults({ name, description, parameters, strict }: CompiledTool, dialect: DialectName): readonly string[] {
  const faults: string[] = [];
  const first = dialect === "openrouter" ? /^[A-Za-z_]/ : /^./;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name) || !first.test(name)) faults.push(`name ${name}`);
  if (description.length === 0 || description.length > (dialect === "openai" ? 1024 : 10_000)) faults.push("description");
  if (parameters["type"] !== "object") faults.push("root");
  if (JSON.stringify(JSON.parse(JSON.stringify(parameters))) !== JSON.stringify(parameters)) faults.push("round trip");
  const counts = { properties: 0, values: 0 };
  partFaults(parameters, "", 1, { dialect, strict, counts, faults });
  if (counts.properties > 5000) faults.push(`${counts.properties} properties`);
  if (counts.values > 1000) faults.push(`${counts.values} values`);
  if (JSON.stringify(parameters).length > 120_000) faults.push("length");
  return faults;
}

interface Checking {
  readonly dialect: DialectName;
  readonly strict: boolean;
  readonly counts: { properties: number; values: number };
  readonly faults: string[];
}

const FORM = ["type", "description", "properties", "required", "additionalProperties", "items", "enum"];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  array: ["minItems", "maxItems", "uniqueItems"],
  object: [],
};
const REFUSED: Readonly<Record<DialectName, readonly string[]>> = {
  any: [],
  anthropic: [],
  openai: [],
  openrouter: ["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "pattern", "minLength", "maxLength", "maxItems"],
  ollama: ["minimum", "maximum", "multipleOf", "uniqueItems", "pattern", "format", "minLength", "maxLength", "minItems", "maxItems"],
  compatible: ["multipleOf", "uniqueItems", "pattern", "format", "minLength", "maxLength", "minItems", "maxItems"],
  bedrock: ["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems"],
  cli: [],
};

function partFaults(schema: Json | undefined, at: string, level: number, checking: Checking): void {
  const { dialect, strict, counts, faults } = checking;
  const fault = (what: string) => faults.push(`${at || "/"}: ${what}`);
  if (!isJsonObject(schema)) return void fault("no schema");
  const { type, properties, required, items, enum: values, pattern, format, description } = schema;
  if (typeof type !== "string" || WORDS[type] === undefined) return void fault(`type ${JSON.stringify(type)}`);
  if (level > 10) fault(`level ${level}`);
  const words = Object.keys(schema);
  for (const word of words) {
    if (!FORM.includes(word) && !WORDS[type].includes(word)) fault(`word ${word}`);
    if (REFUSED[dialect].includes(word)) fault(`refused ${word}`);
    if (strict && ["minLength", "maxLength", "uniqueItems"].includes(word)) fault(`strict ${word}`);
  }
  if (description !== undefined && (typeof description !== "string" || description.length > 4000 || !description.isWellFormed()))
    fault("description");
  if (typeof pattern === "string" && (/\(\?[^:]|\\[pPkbBxzZAG]|\\u(?![0-9a-fA-F]{4})/.test(pattern) || !isRegExp(pattern)))
    fault(`pattern ${pattern}`);
  if (format !== undefined && dialect === "openrouter" && format !== "date-time") fault("format");
  if (values !== undefined) {
    if (!Array.isArray(values) || values.length === 0 || new Set(values).size !== values.length) return void fault("enum");
    counts.values += values.length;
    for (const value of values as readonly Json[]) {
      const good = type === "integer" ? Number.isInteger(value) : typeof value === type;
      if (!good || value === "" || (dialect === "openrouter" && typeof value !== "string")) fault(`value ${JSON.stringify(value)}`);
      if (typeof value === "string" && !value.isWellFormed()) fault("half a character");
    }
  }
  if (type === "array") return partFaults(items, `${at}/items`, level + 1, checking);
  if (items !== undefined || (type !== "object" && (properties !== undefined || required !== undefined))) fault("words of another type");
  if (type !== "object") return;
  if (schema["additionalProperties"] !== false) fault("open");
  if (!isJsonObject(properties)) return void fault("no properties");
  const names = Object.keys(properties);
  if (level > 1 && names.length === 0) fault("empty object");
  counts.properties += names.length;
  if (!Array.isArray(required) || required.some((name) => typeof name !== "string" || !names.includes(name))) return void fault("required");
  if (new Set(required).size !== required.length || (strict && required.length !== names.length)) fault("required");
  for (const [name, part] of Object.entries(properties)) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name) || name === "__proto__") fault(`key ${name}`);
    partFaults(part, `${at}/properties/${name}`, level + 1, checking);
  }
}

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").flags === "u";
  } catch {
    return false;
  }
}
