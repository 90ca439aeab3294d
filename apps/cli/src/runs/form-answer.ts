import { type FormField, isJsonObject, type Json, type JsonObject, readForm } from "@toolbus/contracts";
import { safeText } from "../terminal/safe-text.ts";

/** Returns the fields of a question's form. A form that cannot be read has none. */
export function fieldsOf(form: JsonObject | undefined): readonly FormField[] {
  const read = readForm(form ?? { type: "object" });
  return read.ok ? read.fields : [];
}

/** Returns the lines that show a field: its name, its title or description, and its numbered choices. */
export function fieldLines({ name, title, description, type, many, choices, required }: FormField): readonly string[] {
  const about = [title, description].filter((text) => text !== null && text !== name).join(": ");
  const kind = choices.length > 0 ? (many ? "choose some" : "choose one") : KINDS[type];
  return [
    `  ${safeText(name)} (${kind}${required ? "" : ", optional"})${about === "" ? "" : `  ${safeText(about)}`}`,
    ...choices.map((choice, n) => `    ${n + 1}  ${safeText(choice.title)}`),
  ];
}

const KINDS: Readonly<Record<FormField["type"], string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "yes or no",
};

/** Returns the typed text as the value of a field. Text that has another form stays text, and the gateway says what is wrong with it. */
export function valueOf(field: FormField, typed: string): Json {
  if (field.many) return typed.split(",").map((part) => one(field, part.trim()));
  return one(field, typed.trim());
}

function one({ type, choices }: FormField, typed: string): Json {
  const chosen = choices.find(({ value, title }, n) => typed === String(n + 1) || typed === value || typed === title);
  if (chosen) return chosen.value;
  if (type === "boolean" && /^(?:y|yes|true|n|no|false)$/i.test(typed)) return /^[yt]/i.test(typed);
  if ((type === "number" || type === "integer") && typed !== "" && Number.isFinite(Number(typed))) return Number(typed);
  return typed;
}

/**
 * Returns the content of an answer that was typed on one line: a JSON object, or the value of the only field. Returns null if the form needs an
 * object and the text is none.
 */
export function contentOf(form: JsonObject | undefined, typed: string): JsonObject | null {
  const object = objectIn(typed);
  if (object) return object;
  const fields = fieldsOf(form);
  const [field] = fields;
  return field && fields.length === 1 ? { [field.name]: valueOf(field, typed) } : null;
}

function objectIn(typed: string): JsonObject | null {
  try {
    const value = JSON.parse(typed) as Json;
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
