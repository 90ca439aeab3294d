import { isJsonObject, type Json, type JsonObject } from "@toolbus/contracts";

/** Readers for members of a request that do not trust it: each returns a usable value, or the empty one. */
export function objectOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** JSON text as a value; undefined if it is not JSON. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The first text that is in the list twice. */
export function firstDuplicate(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}

export function isBlank(text: string): boolean {
  return text.trim() === "";
}
