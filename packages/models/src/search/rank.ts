/** An item with its score, which is 0 if the item has no word of the query. Scores of different queries cannot be compared. */
export interface Scored<T> {
  readonly item: T;
  readonly score: number;
}

/**
 * Ranks the items by the match between their text and the query, best first (Okapi BM25). Items with equal scores stay in their order. Words are
 * compared without case and without stemming. A pair of words that is adjacent in both the query and the text has twice the weight of one word.
 */
export function rank<T>(items: readonly T[], textOf: (item: T) => string, query: string): readonly Scored<T>[] {
  return scored(items, textOf, query).toSorted((a, b) => b.score - a.score);
}

/** Returns the items with their scores, in the order of `items`. */
export function scored<T>(items: readonly T[], textOf: (item: T) => string, query: string): readonly Scored<T>[] {
  const wanted = new Set(terms(query));
  const texts = items.map((item) => {
    const all = terms(textOf(item));
    return { item, words: all.filter((term) => !isPhrase(term)).length, counts: countsOf(all, wanted) };
  });
  const average = texts.reduce((sum, { words }) => sum + words, 0) / Math.max(1, texts.length) || 1;
  const weights = new Map(
    [...wanted].map((term) => [term, weightOf(term, texts.filter(({ counts }) => counts.has(term)).length, texts.length)]),
  );
  return texts.map(({ item, words, counts }) => {
    const norm = K1 * (1 - B + (B * words) / average);
    const score = [...counts].reduce((sum, [term, count]) => sum + ((weights.get(term) ?? 0) * count * (K1 + 1)) / (count + norm), 0);
    return { item, score };
  });
}

// The usual parameters of BM25. K1 limits the effect of a repeated word, and B sets the penalty for a long text.
const K1 = 1.5;
const B = 0.75;
const PHRASE_WEIGHT = 2;
/** The maximum number of words. A query may be a whole message, and words beyond this limit are ignored. */
const MAX_WORDS = 2000;

/** Returns the weight of a term that occurs in this many of the texts. */
function weightOf(term: string, having: number, texts: number): number {
  return Math.log(1 + (texts - having + 0.5) / (having + 0.5)) * (isPhrase(term) ? PHRASE_WEIGHT : 1);
}

/** Returns the words of a text and each pair of adjacent words. "create_issue" and "createIssue" have the words of "create issue". */
function terms(text: string): readonly string[] {
  const words = text
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  const some = (words ?? []).slice(0, MAX_WORDS);
  return [...some, ...some.slice(1).map((word, index) => `${some[index]} ${word}`)];
}

const isPhrase = (term: string) => term.includes(" ");

function countsOf(all: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of all) if (wanted.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
