import { line } from "../clean-text.ts";

/** A value of a file that others wrote. Each function returns what it can read, and undefined for another form. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function listOf(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Returns a text as one printable line, or undefined if the value is no text or an empty one. */
export function lineOf(value: unknown, most = 200): string | undefined {
  return typeof value === "string" ? line(value, most) || undefined : undefined;
}

/** Returns the number or the text that names something, or an empty text. */
export function nameOf(value: unknown): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

/** Returns a finite number that is not negative. */
export function amountOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** Returns the seconds between two times, or undefined if one is missing or they are in the wrong order. */
export function secondsBetween(from: unknown, to: unknown): number | undefined {
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  const ms = Date.parse(to) - Date.parse(from);
  return ms >= 0 ? ms / 1000 : undefined;
}

export function parseJson(text: string): { readonly ok: true; readonly value: unknown } | { readonly ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
