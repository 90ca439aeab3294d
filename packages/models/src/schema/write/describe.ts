import { under } from "../pointer.ts";
import type { Shape } from "../shape.ts";
import { lose, type Writing } from "./writing.ts";

/**
 * Returns the description of a part for a model. It begins with the part's own description, or with the title if the title differs from the name. The
 * rules that cannot be passed on follow. If the description is too long, the function truncates it and reports a loss.
 */
export function describe(shape: Shape, name: string, notes: readonly string[], writing: Writing): string {
  const { description, title, hints, at } = shape;
  const about = wellFormed(description) || (plain(title) === plain(name) ? "" : wellFormed(title));
  const limit = writing.rules.description;
  const extra = [...notes, ...hints].map(wellFormed);
  const room = limit - extra.reduce((sum, text) => sum + text.length + 1, 0);
  if (about.length > Math.max(room, limit / 2))
    lose(writing, under(at, description ? "description" : "title"), `A description of ${about.length} characters is truncated.`);
  const head = cut(about, Math.max(room, Math.floor(limit / 2)));
  const texts = [head, ...extra].filter((text) => text !== "");
  return cut(texts.map((text, index) => (index < texts.length - 1 ? sentence(text) : text)).join(" "), limit);
}

/** Returns the text with a full stop, so that another sentence can follow. */
function sentence(text: string): string {
  return /[.!?:;,)…]$/.test(text) ? text : `${text}.`;
}

/** Returns the text, truncated to at most `limit` UTF-16 units. The result never ends in a lone surrogate. */
export function cut(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text
        .slice(0, limit - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, "")}…`;
}

/** Returns the text without the zero character and lone surrogates, because parsers in other languages refuse them. */
export function wellFormed(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "").trim();
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}
