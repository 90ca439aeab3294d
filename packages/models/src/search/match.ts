import { corpusOf, type Corpus } from "./corpus.ts";
import { type Alternatives, readQuery } from "./query.ts";
import type { Terms } from "./terms.ts";

/** How well each text matches a query, in the order of the texts. */
export interface Matches {
  /** The score of Okapi BM25, or 0 if the text has no word of the query. */
  readonly scores: Float64Array;
  /** The part of the query's words that the text has, from 0 to 1. A rare word counts more than a usual one, and a synonym less than the word. */
  readonly covered: Float64Array;
  /** The words of the query in lower case. */
  readonly words: readonly string[];
}

/** How much a word of a query counts for the score and for the part that is covered. Other words count 1. */
export interface WordWeight {
  readonly score: number;
  readonly covered: number;
}

// The usual parameters of BM25. K1 limits the effect of a repeated word, and B sets the penalty for a long text.
const K1 = 1.5;
const B = 0.75;

const FULL: WordWeight = { score: 1, covered: 1 };
const NO_WEIGHTS: ReadonlyMap<string, WordWeight> = new Map();

/**
 * Compares texts with a query. The cost depends on the texts that match, and not on their length. `weights` has the words that count less than others, by
 * their roots.
 */
export function matchesOf(texts: readonly Terms[], query: string, weights: ReadonlyMap<string, WordWeight> = NO_WEIGHTS): Matches {
  const corpus = corpusOf(texts);
  const { words, wanted } = readQuery(query, (term) => corpus.having(term).at.length > 0);
  const scores = new Float64Array(texts.length);
  const covered = new Float64Array(texts.length);
  const best = new Float64Array(texts.length);
  const bestPart = new Float64Array(texts.length);
  let subjects = 0;
  for (const { term, alternatives, isSubject } of wanted) {
    const weight = weights.get(term) ?? FULL;
    const subject = isSubject ? weight.covered * shareOf(corpus.having(term).at.length, texts.length) : 0;
    subjects += subject;
    // A text that has a word and its synonyms is about one thing, so only the best of them counts.
    const matched = compare(corpus, alternatives, best, bestPart);
    for (const n of matched) {
      scores[n] = (scores[n] ?? 0) + weight.score * (best[n] ?? 0);
      if (subject > 0) covered[n] = (covered[n] ?? 0) + subject * (bestPart[n] ?? 0);
      best[n] = 0;
      bestPart[n] = 0;
    }
  }
  if (subjects > 0) for (const [n, part] of covered.entries()) covered[n] = part / subjects;
  return { scores, covered, words };
}

/** Sets the best score and the highest weight of the alternatives for each text that has one of them. Returns the numbers of these texts. */
function compare(
  { texts, average, having }: Corpus,
  alternatives: Alternatives,
  best: Float64Array,
  bestPart: Float64Array,
): readonly number[] {
  const found = alternatives.map(([term]) => having(term));
  const [own] = found;
  const any = found.slice(1).every(({ at }) => at.length === 0) ? (own?.at ?? []) : [...new Set(found.flatMap(({ at }) => at))];
  for (const [i, [, factor]] of alternatives.entries()) {
    const { at = [], counts = [] } = found[i] ?? {};
    // A rare synonym of a common word says no more than the word.
    const weight = factor * rarity(i === 0 ? at.length : any.length, texts.length);
    for (const [j, n] of at.entries()) {
      const count = counts[j] ?? 0;
      const score = (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * (texts[n]?.words ?? 0)) / average));
      if (score > (best[n] ?? 0)) best[n] = score;
      if (factor > (bestPart[n] ?? 0)) bestPart[n] = factor;
    }
  }
  return any;
}

/** Returns how much a term that this many of the texts have says about a text, from 0 to 1. A term that none of them has says 1. */
function shareOf(having: number, texts: number): number {
  return having === 0 ? 1 : rarity(having, texts) / Math.log(texts + 1);
}

/** Returns the weight of a term that occurs in this many of the texts. */
function rarity(having: number, texts: number): number {
  return Math.log(1 + (texts - having + 0.5) / (having + 0.5));
}
