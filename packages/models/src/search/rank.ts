import { corpusOf } from "./corpus.ts";
import { synonymsOf } from "./synonyms.ts";
import { pairsOf, termsIn } from "./terms.ts";
import { isFiller, stem, wordsIn } from "./words.ts";

/** An item with its score, which is 0 if the item has no word of the query. Scores of different queries cannot be compared. */
export interface Scored<T> {
  readonly item: T;
  readonly score: number;
}

/**
 * Ranks the items by the match between their text and the query, best first (Okapi BM25). Items with equal scores stay in their order. Words are
 * compared without case and without common English endings. Words such as "the" and "please" do not count, unless the query has no others. A pair of
 * words that is adjacent in both the query and the text has twice the weight of one word.
 */
export function rank<T>(items: readonly T[], textOf: (item: T) => string, query: string): readonly Scored<T>[] {
  return scored(items, textOf, query).toSorted((a, b) => b.score - a.score);
}

/** Returns the items with their scores, in the order of `items`. */
export function scored<T>(items: readonly T[], textOf: (item: T) => string, query: string): readonly Scored<T>[] {
  const corpus = corpusOf(items.map((item) => termsIn(textOf(item))));
  const { texts, average } = corpus;
  const scores = items.map(() => 0);
  for (const alternatives of wanted(query, (term) => corpus.having(term).length > 0)) {
    // A text that has a word and its synonyms is about one thing, so only the best of them counts.
    const best = new Map<number, number>();
    const having = alternatives.map(([term]) => corpus.having(term));
    const any = rarity(new Set(having.flat()).size, texts.length);
    for (const [i, [term, factor]] of alternatives.entries()) {
      const found = having[i] ?? [];
      // A rare synonym of a common word says no more than the word.
      const weight = factor * (i === 0 ? rarity(found.length, texts.length) : any);
      for (const n of found) {
        const { counts, words } = texts[n] ?? NO_TERMS;
        const count = counts.get(term) ?? 0;
        const score = (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * words) / average));
        if (score > (best.get(n) ?? 0)) best.set(n, score);
      }
    }
    for (const [n, score] of best) scores[n] = (scores[n] ?? 0) + score;
  }
  return items.map((item, n) => ({ item, score: scores[n] ?? 0 }));
}

// The usual parameters of BM25. K1 limits the effect of a repeated word, and B sets the penalty for a long text.
const K1 = 1.5;
const B = 0.75;
const PHRASE_WEIGHT = 2;
const NO_TERMS = termsIn("");
/** A synonym counts less than the word itself. */
const SYNONYM_WEIGHT = 0.8;

/** Returns the weight of a term that occurs in this many of the texts. */
function rarity(having: number, texts: number): number {
  return Math.log(1 + (texts - having + 0.5) / (having + 0.5));
}

/** The terms of which a text needs one, each with its weight: a word and its synonyms, or a pair of words. */
type Alternatives = readonly (readonly [term: string, weight: number])[];

/** Returns what counts in a query: its words with their synonyms, and its pairs of adjacent words. `isKnown` says whether any text has a term. */
function wanted(query: string, isKnown: (term: string) => boolean): readonly Alternatives[] {
  const words = wordsIn(query).flatMap(({ whole, parts }) => (parts.length > 1 && !isKnown(stem(whole)) ? parts : [whole]));
  const isUsed = words.some((word) => !isFiller(word)) ? (word: string): boolean => !isFiller(word) : (): boolean => true;
  const found = new Map<string, Alternatives>();
  for (const word of words) {
    const root = stem(word);
    const synonyms = synonymsOf(root).map((other) => [other, SYNONYM_WEIGHT] as const);
    if (isUsed(word)) found.set(root, [[root, 1], ...synonyms]);
    else if (synonyms.length > 0) found.set(root, [[root, 0], ...synonyms]);
  }
  for (const pair of pairsOf(words.filter(isUsed).map(stem))) found.set(pair, [[pair, PHRASE_WEIGHT]]);
  return [...found.values()];
}
