import { visibleText } from "../visible-text.ts";

/** A piece of HTML in which every text from outside is escaped. Only `markup` and `trusted` make one. */
export interface Markup {
  readonly [MARKUP]: string;
}

const MARKUP = Symbol("markup");

/** What a template may contain. Null shows nothing. */
export type Part = string | number | null | Markup | readonly Part[];

/**
 * Builds a piece of HTML. Every text that is put into the template is escaped, both for elements and for attributes between quotes. So a text that is
 * not escaped needs a call of `trusted`, which a reviewer sees.
 */
export function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return trusted(pieces.map((piece, n) => piece + (n < parts.length ? markupOf(parts[n] ?? null) : "")).join(""));
}

/** Marks a text as HTML without escaping it. The text must not contain anything from outside. */
export function trusted(text: string): Markup {
  return { [MARKUP]: text };
}

/** Returns the HTML as text. */
export function markupText(piece: Markup): string {
  return piece[MARKUP];
}

function markupOf(part: Part): string {
  if (part === null) return "";
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escaped(part);
  if (MARKUP in part) return part[MARKUP];
  return part.map(markupOf).join("");
}

function escaped(text: string): string {
  return visibleText(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
