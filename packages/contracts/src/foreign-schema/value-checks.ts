import { counted } from "../counted.ts";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { type Check, isNumber, type Run } from "./check.ts";
import type { Here } from "./here.ts";
import { FORMAT_CHARS } from "./limits.ts";
import { quoted } from "./schema-fault.ts";

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === "string",
  number: isNumber,
  integer: (value) => isNumber(value) && Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isJsonObject,
};

/** Returns the checks for `type` and OpenAPI's `nullable`. */
export function typeChecks(schema: JsonObject, here: Here): readonly Check[] {
  const { type, nullable } = schema;
  if (nullable !== undefined && typeof nullable !== "boolean") here.refuse("nullable", "must be true or false");
  if (type === undefined) return [];
  const names = typeof type === "string" ? [type] : here.texts("type", type);
  if (names.length === 0) here.refuse("type", "does not name a type");
  for (const name of names)
    if (!Object.hasOwn(TYPES, name)) here.refuse("type", `is ${quoted(name)}, which is none of ${Object.keys(TYPES).join(", ")}`);
  const tests = [...names, ...(nullable === true ? ["null"] : [])].map((name) => TYPES[name] ?? (() => false));
  const [only] = tests;
  const message = `must be ${names.join(",")}`;
  if (tests.length === 1 && only) return [(value, run) => only(value) || run.report(message)];
  return [(value, run) => tests.some((test) => test(value)) || run.report(message)];
}

/** Returns the checks for `enum` and `const`. */
export function valueChecks(schema: JsonObject, here: Here): readonly Check[] {
  const checks: Check[] = [];
  if (schema["const"] !== undefined) {
    const wanted = schema["const"];
    const message = `must be ${cut(JSON.stringify(wanted))}`;
    checks.push((value, run) => isEqual(value, wanted, run) || run.report(message));
  }
  const values = schema["enum"];
  if (values === undefined) return checks;
  if (!Array.isArray(values) || values.length === 0) return here.refuse("enum", "must be a list with at least one value");
  here.count("values", values.length, "enum");
  const scalars = new Set<Json>();
  const texts = new Set<string>();
  for (const value of values as readonly Json[]) {
    if (typeof value === "object" && value !== null) texts.add(identity(value, null));
    else scalars.add(value);
  }
  const shown = (values as readonly Json[]).slice(0, MAX_SHOWN).map((value) => cut(JSON.stringify(value)));
  const message = `must be one of ${shown.join(", ")}${values.length > MAX_SHOWN ? ` and ${values.length - MAX_SHOWN} more` : ""}`;
  checks.push((value, run) => {
    const listed = typeof value === "object" && value !== null ? texts.size > 0 && texts.has(identity(value, run)) : scalars.has(value);
    return listed || run.report(message);
  });
  return checks;
}

const MAX_SHOWN = 50;

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

export function numberChecks(schema: JsonObject, here: Here): readonly Check[] {
  const checks: Check[] = [];
  const bound = (word: string, sign: string, fits: (value: number, limit: number) => boolean, limit = here.number(schema, word)) => {
    if (limit !== undefined) checks.push((value, run) => !isNumber(value) || fits(value, limit) || run.report(`must be ${sign} ${limit}`));
  };
  const under = (value: number, limit: number) => value < limit;
  const over = (value: number, limit: number) => value > limit;
  // In draft-04 the exclusive keywords are flags that change the meaning of `maximum` and `minimum`.
  const most = schema["exclusiveMaximum"];
  const least = schema["exclusiveMinimum"];
  if (most === true) bound("maximum", "<", under);
  else bound("maximum", "<=", (value, limit) => value <= limit);
  if (least === true) bound("minimum", ">", over);
  else bound("minimum", ">=", (value, limit) => value >= limit);
  if (typeof most !== "boolean") bound("exclusiveMaximum", "<", under);
  if (typeof least !== "boolean") bound("exclusiveMinimum", ">", over);
  const step = here.number(schema, "multipleOf");
  if (step !== undefined && step <= 0) here.refuse("multipleOf", "must be greater than 0");
  if (step !== undefined)
    checks.push((value, run) => !isNumber(value) || Number.isInteger(value / step) || run.report(`must be multiple of ${step}`));
  return checks;
}

export function stringChecks(schema: JsonObject, here: Here): readonly Check[] {
  const checks: Check[] = [];
  const most = here.size(schema, "maxLength");
  const least = here.size(schema, "minLength");
  if (most !== undefined || least !== undefined)
    checks.push((value, run) => {
      if (typeof value !== "string") return true;
      run.spend(value.length >> 5);
      const length = charactersOf(value);
      if (most !== undefined && length > most) return run.report(`must NOT have more than ${counted(most, "character")}`);
      if (least !== undefined && length < least) return run.report(`must NOT have fewer than ${counted(least, "character")}`);
      return true;
    });
  if (schema["pattern"] !== undefined) {
    const pattern = here.pattern("pattern", schema["pattern"]);
    const message = `must match pattern "${pattern.source}"`;
    checks.push((value, run) => typeof value !== "string" || pattern.test(value, run.spend) || run.report(message));
  }
  return [...checks, ...formatChecks(schema, here)];
}

/** Returns the check for `format`. An unknown format is ignored, as JSON Schema specifies. */
function formatChecks({ format }: JsonObject, here: Here): readonly Check[] {
  if (format === undefined) return [];
  if (typeof format !== "string") return here.refuse("format", "must be a text");
  const known = Object.hasOwn(fullFormats, format) ? fullFormats[format as keyof typeof fullFormats] : true;
  if (known === true || typeof known === "string") return [];
  const message = `must match format "${format}"`;
  const about = known instanceof RegExp || typeof known === "function" ? { validate: known } : known;
  const { validate } = about;
  if ("type" in about && about.type === "number") {
    const test = validate as (value: number) => boolean;
    return [(value, run) => !isNumber(value) || test(value) || run.report(message)];
  }
  const test = validate instanceof RegExp ? (text: string) => validate.test(text) : (validate as (text: string) => boolean);
  // The known formats use the engine's regular expressions. Their time is linear in the length of the text. The format `url` is the exception,
  // because its time may be quadratic.
  const squared = format === "url";
  return [
    (value, run) => {
      if (typeof value !== "string") return true;
      if (value.length > FORMAT_CHARS && format !== "byte")
        return run.report(`${message}, which no text of more than ${FORMAT_CHARS} characters does`);
      run.spend(4 + (value.length >> 1) + (squared ? (value.length * value.length) >> 5 : 0));
      return test(value) || run.report(message);
    },
  ];
}

/** Returns the number of characters as JSON Schema defines it. A surrogate pair is one character. */
function charactersOf(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

function isEqual(a: Json, b: Json, run: Run): boolean {
  run.spend(1);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    const others = b as readonly Json[];
    return (a as readonly Json[]).every((one, place) => isEqual(one, others[place] ?? null, run));
  }
  const [one, other] = [a as JsonObject, b as JsonObject];
  const names = Object.keys(one);
  run.spend(4 + (names.length >> 1));
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => Object.hasOwn(other, name) && isEqual(one[name] ?? null, other[name] ?? null, run));
}

/** Returns the same text for equal values, regardless of the order of their members. Costs steps in proportion to the text's length. */
export function identity(value: Json, run: Run | null): string {
  run?.spend(6);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map((one) => identity(one, run)).join(",")}]`;
  if (isJsonObject(value)) {
    const members = Object.keys(value).sort();
    return `{${members.map((member) => `${JSON.stringify(member)}:${identity(value[member] ?? null, run)}`).join(",")}}`;
  }
  const text = JSON.stringify(value) ?? "null";
  run?.spend(text.length >> 5);
  return text;
}
