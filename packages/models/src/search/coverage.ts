import { synonymsOf } from "./synonyms.ts";
import { termsIn } from "./terms.ts";
import { isFiller, stem, wordsIn } from "./words.ts";

/** How well a text and a query cover each other, both from 0 to 1. */
export interface Coverage {
  /** The part of the query's words that the text has. */
  readonly query: number;
  /** The part of the words of a name that the query has. */
  readonly name: number;
}

// The same word counts most, another form of it a little less, and a synonym least.
const FORM = 0.9;
const SYNONYM = 0.8;

/**
 * Returns a function that says how well a query is covered by a text, and a name by the query. BM25 adds up what matches and ignores what does not, so
 * it cannot tell a text with one rare word of the query from a text with most of its words.
 */
export function coverageOf(query: string): (name: string, text: string) => Coverage {
  const words = wordsIn(query);
  const forms = new Set(words.flatMap(({ whole, parts }) => [whole, ...parts]));
  const roots = new Set([...forms].map(stem));
  const synonyms = new Set([...roots].flatMap(synonymsOf));
  const subjects = words.filter(({ whole }) => !isFiller(whole)).map(({ whole, parts }) => ({ root: stem(whole), parts: parts.map(stem) }));
  const different = [...new Map(subjects.map((subject) => [subject.root, subject])).values()];
  return (name, text) => {
    const { counts } = termsIn(text);
    const inText = ({ root, parts }: (typeof subjects)[number]): number =>
      counts.has(root) || parts.every((part) => counts.has(part)) ? 1 : synonymsOf(root).some((other) => counts.has(other)) ? SYNONYM : 0;
    const inQuery = ([word, root]: readonly [string, string]): number =>
      forms.has(word) ? 1 : roots.has(root) ? FORM : synonyms.has(root) ? SYNONYM : 0;
    return { query: mean(different.map(inText)), name: mean([...termsIn(name).forms].map(inQuery)) };
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);
}
