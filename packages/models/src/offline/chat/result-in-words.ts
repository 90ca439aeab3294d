import { counted, isJsonObject, type Json } from "@toolbus/contracts";
import { cleanText, quoted } from "../clean-text.ts";

const MAX_FIELDS = 16;
const MAX_TEXT = 400;

/** Returns the content of a result with one line per field. Texts are quoted, because they are somebody else's words. */
export function resultInWords(content: string): readonly string[] {
  const value = parsed(content);
  if (value === undefined) return content.trim() === "" ? ["It said nothing."] : [quoted(content, 1500)];
  if (!isJsonObject(value)) return [inWords(value)];
  const fields = Object.entries(value);
  if (fields.length === 0) return ["It answered an empty object."];
  const lines = fields.slice(0, MAX_FIELDS).map(([name, field]) => `- ${cleanText(name, 64)}: ${inWords(field)}`);
  const more = fields.slice(MAX_FIELDS).map(([name]) => cleanText(name, 64));
  return more.length === 0 ? lines : [...lines, `- and ${counted(more.length, "more field")}: ${more.slice(0, MAX_FIELDS).join(", ")}`];
}

function inWords(value: Json): string {
  if (typeof value === "string") return quoted(value, MAX_TEXT);
  if (Array.isArray(value)) return listInWords(value);
  return isJsonObject(value) ? membersInWords(value) : JSON.stringify(value);
}

function listInWords(items: readonly Json[]): string {
  const [first] = items;
  if (first === undefined) return "none";
  return items.length === 1 ? `1 item: ${inShort(first)}` : `${counted(items.length, "item")}, the first: ${inShort(first)}`;
}

function membersInWords(value: { readonly [name: string]: Json }): string {
  const members = Object.entries(value);
  const reported = members.slice(0, 6).map(([name, member]) => `${cleanText(name, 64)} ${inShort(member)}`);
  return members.length === 0 ? "nothing" : [...reported, ...(members.length > reported.length ? ["…"] : [])].join(", ");
}

/** Puts a value inside another value into words, without splitting it further. */
function inShort(value: Json): string {
  if (typeof value === "string") return quoted(value, 120);
  if (Array.isArray(value)) return value.length === 0 ? "none" : `(${counted(value.length, "item")})`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const texts = Object.entries(value).flatMap(([name, member]) =>
    typeof member === "object" ? [] : [`${cleanText(name, 40)} ${typeof member === "string" ? quoted(member, 80) : String(member)}`],
  );
  return `{${texts.slice(0, 4).join(", ")}${texts.length > 4 || texts.length < Object.keys(value).length ? ", …" : ""}}`;
}

function parsed(content: string): Json | undefined {
  try {
    const value: Json = JSON.parse(content);
    return value;
  } catch {
    return undefined;
  }
}
