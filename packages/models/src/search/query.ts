import { meantBy, synonymsOf } from "./synonyms.ts";
import { pairsOf } from "./terms.ts";
import { isFiller, stem, wordsIn } from "./words.ts";

/** The terms of which a text needs one, each with its weight: a word and what may stand for it, or a pair of words. The word itself is first. */
export type Alternatives = readonly (readonly [term: string, weight: number])[];

/** A thing that a query asks for. */
export interface Wanted {
  /** The word in the form in which it is compared, or the pair of words. */
  readonly term: string;
  readonly alternatives: Alternatives;
  /** Whether it is a word that says something. Words such as "all" count only for their synonyms, and pairs repeat words. */
  readonly isSubject: boolean;
}

const PAIR_WEIGHT = 2;
/** A synonym counts half as much as the word itself, and the long form of an abbreviation nearly as much. */
const SYNONYM_WEIGHT = 0.5;
const LONG_FORM_WEIGHT = 0.9;

/**
 * Returns the words of a query and what it asks for: its words with their synonyms, and its pairs of adjacent words. An abbreviation counts in both forms.
 * `isKnown` says whether any text has a term. A word with capitals inside that no text has and that is no abbreviation is read as
 * its parts.
 */
export function readQuery(
  query: string,
  isKnown: (term: string) => boolean,
): { readonly words: readonly string[]; readonly wanted: readonly Wanted[] } {
  const isWord = (whole: string): boolean => isKnown(stem(whole)) || meantBy(whole).length > 0;
  const words = wordsIn(query).flatMap(({ whole, parts }) => (parts.length > 1 && !isWord(whole) ? parts : [whole]));
  const isUsed = words.some((word) => !isFiller(word)) ? (word: string): boolean => !isFiller(word) : (): boolean => true;
  const found = new Map<string, Wanted>();
  for (const word of new Set(words)) {
    const root = stem(word);
    const others = [
      ...synonymsOf(root).map((other) => [other, SYNONYM_WEIGHT] as const),
      ...meantBy(word).map((long) => [stem(long), LONG_FORM_WEIGHT] as const),
    ];
    if (isUsed(word)) found.set(root, { term: root, alternatives: [[root, 1], ...others], isSubject: true });
    else if (others.length > 0) found.set(root, { term: root, alternatives: [[root, 0], ...others], isSubject: false });
  }
  const used = words.filter(isUsed);
  const long = used.flatMap((word) => (meantBy(word).length > 0 ? meantBy(word) : [word]));
  for (const pair of [...pairsOf(used.map(stem)), ...pairsOf(long.map(stem))])
    found.set(pair, { term: pair, alternatives: [[pair, PAIR_WEIGHT]], isSubject: false });
  return { words, wanted: [...found.values()] };
}
