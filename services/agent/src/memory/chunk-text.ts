import { wholeEnd } from "@toolbus/contracts";
import { jsonCuts } from "./json-cuts.ts";
import type { Section } from "./cuts.ts";
import { textCuts } from "./text-cuts.ts";

/** A piece of a text, with its position in UTF-16 code units and its heading. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  /** The headings above the start of the chunk, or its path in the JSON. Empty if there is none. */
  readonly heading: string;
}

/** The shortest length that is planned for a chunk, unless the maximum is lower (C-03). */
const LEAST_CHUNK_CHARS = 20_000;

/**
 * Cuts a text into chunks, which together are the whole text. A chunk has at most `most` characters, and at least 20,000 if `most` allows that. Only
 * the last chunk may be shorter. Text is cut before a heading of level 1, 2 or 3, in that order, else after a blank line, after a line, or anywhere.
 * JSON is cut between two members, the outermost first. No character is split.
 */
export function chunkText(text: string, most: number): { readonly chunks: readonly Chunk[]; readonly sections: readonly Section[] } {
  const cuts = jsonCuts(text) ?? textCuts(text);
  const least = most > LEAST_CHUNK_CHARS ? LEAST_CHUNK_CHARS : Math.max(1, Math.ceil(most / 2));
  const chunks: Chunk[] = [];
  let start = 0;
  while (text.length - start > most) {
    const lo = start + least;
    // If possible, the last chunk has the minimum length too.
    const hi = Math.max(lo, Math.min(start + most, text.length - least));
    const best = wholeEnd(text, cuts.best(lo, hi));
    // If the only cut would split a surrogate pair, the chunk takes the whole pair, so that it is not empty.
    const end = best > start ? best : start + 2;
    chunks.push({ start, end, heading: cuts.heading(start) });
    start = end;
  }
  chunks.push({ start, end: text.length, heading: cuts.heading(start) });
  return { chunks, sections: cuts.sections() };
}
