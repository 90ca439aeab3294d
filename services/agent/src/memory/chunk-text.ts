import { wholeEnd } from "@toolbus/contracts";
import { jsonCuts } from "./json-cuts.ts";
import type { Section } from "./cuts.ts";
import { textCuts } from "./text-cuts.ts";

/** A piece of a text, in UTF-16 code units, and its place in the text's own order. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  /** The headings above its beginning, or the place in the JSON. Empty if there is none. */
  readonly heading: string;
}

/** No chunk is planned shorter than this, unless the maximum is lower (C-03). */
const LEAST_CHUNK_CHARS = 20_000;

/**
 * Cuts a text into chunks that joined together are the text: of at most `most` characters and never less than 20,000, except the last one and if `most`
 * itself is less. Text is cut before a heading of level 1, 2 or 3, in that order, then after a blank line, a line, or anywhere; JSON between two members,
 * the outermost first. No character is split.
 */
export function chunkText(text: string, most: number): { readonly chunks: readonly Chunk[]; readonly sections: readonly Section[] } {
  const cuts = jsonCuts(text) ?? textCuts(text);
  const least = most > LEAST_CHUNK_CHARS ? LEAST_CHUNK_CHARS : Math.max(1, Math.ceil(most / 2));
  const chunks: Chunk[] = [];
  let start = 0;
  while (text.length - start > most) {
    const lo = start + least;
    // The last chunk gets the minimum as well, if possible.
    const hi = Math.max(lo, Math.min(start + most, text.length - least));
    const best = wholeEnd(text, cuts.best(lo, hi));
    // A chunk of one character may be half of a pair: then it gets the other half as well.
    const end = best > start ? best : start + 2;
    chunks.push({ start, end, heading: cuts.heading(start) });
    start = end;
  }
  chunks.push({ start, end: text.length, heading: cuts.heading(start) });
  return { chunks, sections: cuts.sections() };
}
