import { CONTENT_BYTES, FORM_BYTES } from "./documents/question.ts";
import { foreignSchema } from "./foreign-schema/index.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { Problem } from "./parse.ts";

/** One field of the form of a question. */
export interface FormField {
  readonly name: string;
  readonly type: "string" | "number" | "integer" | "boolean";
  /** True if the person may choose several values. */
  readonly many: boolean;
  /** The title and the description, in the words of the tool. */
  readonly title: string | null;
  readonly description: string | null;
  /** The values to choose from, with their titles. It is empty if the person writes a value. */
  readonly choices: readonly { readonly value: Json; readonly title: string }[];
  readonly required: boolean;
}

export type ReadForm = { readonly ok: true; readonly fields: readonly FormField[] } | { readonly ok: false; readonly reason: string };

const MAX_FIELDS = 32;
const TYPES = ["string", "number", "integer", "boolean"] as const;

/**
 * Reads the form of a question: an object with flat fields, as MCP allows in forms. Returns the reason if people cannot be shown this form, or if its
 * schema cannot be judged at a limited cost.
 */
export function readForm(form: JsonObject): ReadForm {
  if (Buffer.byteLength(JSON.stringify(form)) > FORM_BYTES) return { ok: false, reason: `its form has more than ${FORM_BYTES} bytes` };
  const { type, properties = {} } = form;
  if (type !== "object" || !isJsonObject(properties)) return { ok: false, reason: "its form is not an object with fields" };
  const named = Object.entries(properties);
  if (named.length > MAX_FIELDS) return { ok: false, reason: `its form has more than ${MAX_FIELDS} fields` };
  const required = Array.isArray(form["required"]) ? form["required"] : [];
  const fields = named.map(([name, schema]) => fieldOf(name, schema as Json, required.includes(name)));
  const odd = fields.findIndex((field) => field === null);
  if (odd >= 0)
    return {
      ok: false,
      reason: `the field "${named[odd]?.[0].slice(0, 64)}" of its form is neither a text, a number, a yes or no, nor a choice`,
    };
  const schema = foreignSchema(form);
  if (!schema.ok) return { ok: false, reason: "its form has a schema that Toolbus cannot judge" };
  return { ok: true, fields: fields.filter((field) => field !== null) };
}

/** Returns what is wrong with the content of an answer. The content is not changed, and patterns are matched in linear time. */
export function contentProblems(form: JsonObject, content: JsonObject): readonly Problem[] {
  if (Buffer.byteLength(JSON.stringify(content)) > CONTENT_BYTES)
    return [{ path: "/content", message: `must have at most ${CONTENT_BYTES} bytes` }];
  const read = readForm(form);
  const schema = foreignSchema(form);
  if (!read.ok || !schema.ok) return [{ path: "/content", message: "cannot be checked, because the form cannot be read" }];
  const known = new Set(read.fields.map(({ name }) => name));
  const unknown = Object.keys(content).filter((name) => !known.has(name));
  if (unknown.length > 0)
    return unknown.slice(0, 8).map((name) => ({ path: `/content/${pointerPart(name)}`, message: "is not a field of the form" }));
  // The check fills in defaults. The person did not state them, so it gets a copy.
  return schema.validate(structuredClone(content)).map(({ path, message }) => ({ path: `/content${path}`, message }));
}

function fieldOf(name: string, schema: Json, required: boolean): FormField | null {
  if (!isJsonObject(schema)) return null;
  const { items } = schema;
  const many = schema["type"] === "array";
  const one = many ? items : schema;
  if (one === undefined || !isJsonObject(one)) return null;
  const choices = choicesOf(one);
  // A list of values without choices has no form.
  if (many && choices.length === 0) return null;
  const type = TYPES.find((known) => known === (one["type"] ?? (choices.length > 0 ? "string" : undefined)));
  if (type === undefined) return null;
  return { name, type, many, title: textOr(schema["title"]), description: textOr(schema["description"]), choices, required };
}

function choicesOf(schema: JsonObject): FormField["choices"] {
  const titled = [schema["oneOf"], schema["anyOf"]].find((list) => Array.isArray(list));
  if (Array.isArray(titled))
    return titled.flatMap((each: Json) =>
      isJsonObject(each) && each["const"] !== undefined ? [choice(each["const"], each["title"])] : [],
    );
  const values = schema["enum"];
  if (!Array.isArray(values)) return [];
  const names = schema["enumNames"];
  return values.map((value: Json, n) => choice(value, Array.isArray(names) ? names[n] : undefined));
}

function choice(value: Json, title: Json | undefined): FormField["choices"][number] {
  return { value, title: typeof title === "string" ? title : typeof value === "string" ? value : JSON.stringify(value) };
}

function textOr(value: Json | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
