import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** Returns the value if it is an object, else an empty object. The readers in this file do not trust a request. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value of a JSON text, or undefined if the text is not JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns the first text that occurs twice in the list, or undefined. */
export function firstDuplicate(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}
