import type { Cuts, Section } from "./cuts.ts";

/** Finds the best cuts of Markdown or any other text: before headings, after blank lines, after lines. A `#` inside a code fence is not a heading. */
export function textCuts(text: string): Cuts {
  const headings = headingsOf(text);
  return {
    best: (lo, hi) => bestHeading(headings, lo, hi) ?? afterBlankLine(text, lo, hi) ?? afterLine(text, lo, hi) ?? hi,
    heading: (at) => pathAt(headings, at),
    sections: () => headings,
  };
}

// A list of more headings is of no use for navigation.
const MAX_HEADINGS = 20_000;
const LINE = /^(?: {0,3}(#{1,3})[ \t]+(\S.*)| {0,3}(`{3,}|~{3,}).*)$/gm;

function headingsOf(text: string): readonly Section[] {
  const headings: Section[] = [];
  let fence: string | null = null;
  for (const { index, 1: hashes, 2: title = "", 3: mark } of text.matchAll(LINE)) {
    if (mark !== undefined) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
    else if (fence === null && hashes !== undefined)
      headings.push({ level: hashes.length, title: title.replace(/[ \t]+#*\s*$/, ""), at: index });
    if (headings.length >= MAX_HEADINGS) break;
  }
  return headings;
}

function bestHeading(headings: readonly Section[], lo: number, hi: number): number | null {
  let best: Section | null = null;
  for (let n = firstFrom(headings, lo); n < headings.length; n++) {
    const heading = headings[n];
    if (!heading || heading.at > hi) break;
    if (!best || heading.level <= best.level) best = heading;
  }
  return best?.at ?? null;
}

/** Returns the index of the first heading at this place or after it. */
function firstFrom(headings: readonly Section[], at: number): number {
  let low = 0;
  let high = headings.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((headings[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function afterBlankLine(text: string, lo: number, hi: number): number | null {
  const places = ["\n\n", "\r\n\r\n"].map((blank) => endOfLast(text, blank, lo, hi)).filter((at) => at !== null);
  return places.length > 0 ? Math.max(...places) : null;
}

function afterLine(text: string, lo: number, hi: number): number | null {
  return endOfLast(text, "\n", lo, hi);
}

/** Returns the end of the last match that ends between `lo` and `hi`, else null. */
function endOfLast(text: string, sought: string, lo: number, hi: number): number | null {
  const at = text.slice(Math.max(0, lo - sought.length), hi).lastIndexOf(sought);
  return at < 0 ? null : Math.max(0, lo - sought.length) + at + sought.length;
}

/** Returns the headings above a place, the outermost first. */
function pathAt(headings: readonly Section[], at: number): string {
  const path: string[] = [];
  let level = 4;
  for (let n = firstFrom(headings, at + 1) - 1; n >= 0 && level > 1; n--) {
    const heading = headings[n];
    if (!heading || heading.level >= level) continue;
    path.unshift(heading.title);
    ({ level } = heading);
  }
  return path.join(" > ");
}
