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

/** The number of corpora with the same first text that a process keeps. */
const MOST_KEPT = 4;
/** From this number of texts on, an index pays. */
const LEAST_INDEXED = 64;
/** The number of texts in the index, of which some may be no longer in use. The index begins again above it. */
const MOST_INDEXED = 20_000;
/** The number of terms whose texts a corpus remembers. */
const MOST_TERMS = 5000;
const NONE: Found = { at: [], counts: [] };

/** The slots that have a term, in the form of `Found`. */
interface Postings extends Found {
  readonly at: number[];
  readonly counts: number[];
}

/** The index of all texts that were searched lately. A text is added once and has a number of its own, its slot. */
interface Index {
  readonly slots: Map<Terms, number>;
  readonly postings: Map<string, Postings>;
}

let index = emptyIndex();
// The catalogues of tools and of services are searched again and again. A corpus goes when its first text goes.
const kept = new WeakMap<Terms, readonly Corpus[]>();

/**
 * Returns the corpus of these texts. If exactly these texts were searched before, their corpus is used again. If some are new, only these are added to the
 * index. A changed text is another text, so nothing in the index can be out of date.
 */
export function corpusOf(texts: readonly Terms[]): Corpus {
  const [first] = texts;
  if (!first) return plain(texts);
  const known = kept.get(first) ?? [];
  const before = known.find(
    (one) => one.texts === texts || (one.texts.length === texts.length && one.texts.every((text, n) => text === texts[n])),
  );
  if (before) return before;
  const corpus = (texts.length < LEAST_INDEXED ? null : indexed(texts)) ?? plain(texts);
  kept.set(first, [corpus, ...known].slice(0, MOST_KEPT));
  return corpus;
}

/** Returns a corpus that looks into each text. */
function plain(texts: readonly Terms[]): Corpus {
  return corpusWith(texts, (term) => {
    const found = emptyFound();
    for (const [n, { counts }] of texts.entries()) {
      const count = counts.get(term);
      if (count !== undefined) add(found, n, count);
    }
    return found;
  });
}

/** Returns a corpus that looks into the index, or null if a text is there twice. */
function indexed(texts: readonly Terms[]): Corpus | null {
  const added = texts.filter((text) => !index.slots.has(text)).length;
  if (index.slots.size + added > MOST_INDEXED) index = emptyIndex();
  const { postings, slots } = index;
  const numbers = Int32Array.from(texts, slotOf);
  // The position of each slot in these texts. Texts that are added later have no position here.
  const positions = new Int32Array(slots.size).fill(-1);
  for (const [position, slot] of numbers.entries()) {
    if (positions[slot] !== -1) return null;
    positions[slot] = position;
  }
  return corpusWith(texts, (term) => {
    const found = emptyFound();
    const all = postings.get(term) ?? NONE;
    for (const [i, slot] of all.at.entries()) {
      const position = positions[slot] ?? -1;
      if (position >= 0) add(found, position, all.counts[i] ?? 0);
    }
    return found;
  });
}

/** Returns a corpus that remembers what `find` found. */
function corpusWith(texts: readonly Terms[], find: (term: string) => Found): Corpus {
  const known = new Map<string, Found>();
  return {
    texts,
    average: averageOf(texts),
    having(term) {
      const before = known.get(term);
      if (before) return before;
      const found = find(term);
      // Queries are foreign texts, with any number of terms.
      if (known.size >= MOST_TERMS) known.clear();
      known.set(term, found.at.length === 0 ? NONE : found);
      return found;
    },
  };
}

/** Returns the slot of a text. A text that is not in the index is added. */
function slotOf(text: Terms): number {
  const known = index.slots.get(text);
  if (known !== undefined) return known;
  const slot = index.slots.size;
  index.slots.set(text, slot);
  for (const [term, count] of text.counts) {
    const found = index.postings.get(term) ?? emptyFound();
    add(found, slot, count);
    index.postings.set(term, found);
  }
  return slot;
}

function add({ at, counts }: Postings, number: number, count: number): void {
  at.push(number);
  counts.push(count);
}

function emptyFound(): Postings {
  return { at: [], counts: [] };
}

function emptyIndex(): Index {
  return { slots: new Map(), postings: new Map() };
}

function averageOf(texts: readonly Terms[]): number {
  return texts.reduce((sum, { words }) => sum + words, 0) / Math.max(1, texts.length) || 1;
}
