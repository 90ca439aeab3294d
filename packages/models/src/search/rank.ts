import { matchesOf } from "./match.ts";
import { termsIn } from "./terms.ts";

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
  const texts = items.map((item) => termsIn(textOf(item)));
  const { scores } = matchesOf(texts, query);
  return items.map((item, n) => ({ item, score: scores[n] ?? 0 }));
}
