import type { Terms } from "./terms.ts";

/** Texts that are searched together, with the numbers of the texts that have each term. */
export interface Corpus {
  readonly texts: readonly Terms[];
  /** The average number of words of a text. It is at least 1. */
  readonly average: number;
  /** Returns the numbers of the texts with this term, in order. */
  having(term: string): readonly number[];
}

/** The number of indexed corpora that a process keeps. The catalogues of tools and of services are searched again and again. */
const MOST_KEPT = 8;
/** From this number of texts on, an index pays. */
const LEAST_INDEXED = 64;
const NONE: readonly number[] = [];

const kept: Corpus[] = [];

/** Returns the corpus of these texts. If exactly these texts were indexed before, their index is used again. So a search costs only what matches. */
export function corpusOf(texts: readonly Terms[]): Corpus {
  if (texts.length < LEAST_INDEXED) return plain(texts);
  const known = kept.findIndex((one) => one.texts.length === texts.length && one.texts.every((text, n) => text === texts[n]));
  const [corpus = indexed(texts)] = known < 0 ? [] : kept.splice(known, 1);
  kept.unshift(corpus);
  kept.length = Math.min(kept.length, MOST_KEPT);
  return corpus;
}

function plain(texts: readonly Terms[]): Corpus {
  return { texts, average: averageOf(texts), having: (term) => texts.flatMap(({ counts }, n) => (counts.has(term) ? [n] : [])) };
}

function indexed(texts: readonly Terms[]): Corpus {
  const postings = new Map<string, number[]>();
  for (const [n, { counts }] of texts.entries())
    for (const term of counts.keys()) {
      const found = postings.get(term);
      if (found) found.push(n);
      else postings.set(term, [n]);
    }
  return { texts, average: averageOf(texts), having: (term) => postings.get(term) ?? NONE };
}

function averageOf(texts: readonly Terms[]): number {
  return texts.reduce((sum, { words }) => sum + words, 0) / Math.max(1, texts.length) || 1;
}
