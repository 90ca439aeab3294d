import type { Terms } from "./terms.ts";

/** The texts that have a term, by their numbers, and how often each of them has it. */
export interface Found {
  readonly at: readonly number[];
  readonly counts: readonly number[];
}

/** Texts that are searched together. */
export interface Corpus {
  readonly texts: readonly Terms[];
  /** The average number of words of a text. It is at least 1. */
  readonly average: number;
  /** Returns the texts with this term, in order. */
  having(term: string): Found;
}

/** The number of corpora that a process keeps. The catalogues of tools and of services are searched again and again. */
const MOST_KEPT = 8;
/** From this number of texts on, an index pays. */
const LEAST_INDEXED = 64;
/** The number of texts in the index, of which some may be no longer in use. The index begins again above it. */
const MOST_INDEXED = 20_000;
const NONE: Found = { at: [], counts: [] };

/** The index of all texts that were searched lately. A text is added once and has a number of its own, its slot. */
interface Index {
  readonly slots: Map<Terms, number>;
  readonly postings: Map<string, { readonly slots: number[]; readonly counts: number[] }>;
}

let index = emptyIndex();
let kept: Corpus[] = [];

/**
 * Returns the corpus of these texts. If exactly these texts were searched before, their corpus is used again. If some are new, only these are added to the
 * index. A changed text is another text, so nothing in the index can be out of date.
 */
export function corpusOf(texts: readonly Terms[]): Corpus {
  if (texts.length < LEAST_INDEXED) return plain(texts);
  const known = kept.findIndex((one) => one.texts.length === texts.length && one.texts.every((text, n) => text === texts[n]));
  const [corpus = indexed(texts)] = known < 0 ? [] : kept.splice(known, 1);
  kept = [corpus, ...kept].slice(0, MOST_KEPT);
  return corpus;
}

/** Returns a corpus that looks into each text. */
function plain(texts: readonly Terms[]): Corpus {
  return {
    texts,
    average: averageOf(texts),
    having(term) {
      const found = { at: [] as number[], counts: [] as number[] };
      for (const [n, { counts }] of texts.entries()) {
        const count = counts.get(term);
        if (count !== undefined) addTo(found.at, found.counts, n, count);
      }
      return found;
    },
  };
}

function indexed(texts: readonly Terms[]): Corpus {
  const added = texts.filter((text) => !index.slots.has(text)).length;
  if (index.slots.size + added > MOST_INDEXED) index = emptyIndex();
  const { postings, slots } = index;
  const numbers = Int32Array.from(texts, slotOf);
  // The position of each slot in these texts. Texts that were added later have no position here.
  const positions = new Int32Array(slots.size).fill(-1);
  for (const [position, slot] of numbers.entries()) {
    if (positions[slot] !== -1) return plain(texts); // The same text twice.
    positions[slot] = position;
  }
  const known = new Map<string, Found>();
  return {
    texts,
    average: averageOf(texts),
    having(term) {
      const before = known.get(term);
      if (before) return before;
      const all = postings.get(term);
      if (!all) return NONE;
      const found = foundIn(all, positions);
      known.set(term, found);
      return found;
    },
  };
}

function foundIn({ slots, counts }: { readonly slots: readonly number[]; readonly counts: readonly number[] }, positions: Int32Array): Found {
  const found = { at: [] as number[], counts: [] as number[] };
  for (const [i, slot] of slots.entries()) {
    const position = positions[slot] ?? -1;
    if (position >= 0) addTo(found.at, found.counts, position, counts[i] ?? 0);
  }
  return found;
}

/** Returns the slot of a text. A text that is not in the index is added. */
function slotOf(text: Terms): number {
  const known = index.slots.get(text);
  if (known !== undefined) return known;
  const slot = index.slots.size;
  index.slots.set(text, slot);
  for (const [term, count] of text.counts) {
    const found = index.postings.get(term);
    if (found) addTo(found.slots, found.counts, slot, count);
    else index.postings.set(term, { slots: [slot], counts: [count] });
  }
  return slot;
}

function addTo(numbers: number[], counts: number[], number: number, count: number): void {
  numbers.push(number);
  counts.push(count);
}

function emptyIndex(): Index {
  return { slots: new Map(), postings: new Map() };
}

function averageOf(texts: readonly Terms[]): number {
  return texts.reduce((sum, { words }) => sum + words, 0) / Math.max(1, texts.length) || 1;
}
