import { under } from "../pointer.ts";
import type { Shape } from "../shape.ts";
import { lose, type Writing } from "./writing.ts";

/**
 * What a model reads of a part: its description, or its title where that says more than the name; then what is said because it cannot be passed
 * on. A description that is too long is cut, which is a loss.
 */
export function describe(shape: Shape, name: string, told: readonly string[], writing: Writing): string {
  const { description, title, hints, at } = shape;
  const about = wellFormed(description) || (plain(title) === plain(name) ? "" : wellFormed(title));
  const limit = writing.rules.description;
  const extra = [...told, ...hints].map(wellFormed);
  const room = limit - extra.reduce((sum, text) => sum + text.length + 1, 0);
  if (about.length > Math.max(room, limit / 2))
    lose(writing, under(at, description ? "description" : "title"), `A description of ${about.length} characters is cut.`);
  const head = cut(about, Math.max(room, Math.floor(limit / 2)));
  const texts = [head, ...extra].filter((text) => text !== "");
  return cut(texts.map((text, index) => (index < texts.length - 1 ? sentence(text) : text)).join(" "), limit);
}

/** With a full stop, where something follows. */
function sentence(text: string): string {
  return /[.!?:;,)…]$/.test(text) ? text : `${text}.`;
}

/** The text in at most so many UTF-16 units, never ending in half a character. */
export function cut(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}

/** Without what parsers in other languages refuse: halves of characters, and the character zero. */
export function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "").trim();
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
