import { isFiller, stem, wordsIn } from "./words.ts";

/** The words and the pairs of a text in the form in which they are compared, with the number of times that each occurs. */
export interface Terms {
  readonly words: number;
  readonly counts: ReadonlyMap<string, number>;
  /** The different words in lower case, each with the form in which it is compared. */
  readonly forms: ReadonlyMap<string, string>;
}

// Most searches are over texts that the process has searched before, such as the descriptions of tools. The terms depend only on the text.
const known = new Map<string, Terms>();
const MOST_KNOWN_CHARS = 8_000_000;
let knownChars = 0;

/** Returns the terms of a text. Words that say nothing about a subject count as words, but a pair may skip them. */
export function termsIn(text: string): Terms {
  const before = known.get(text);
  if (before) return before;
  const terms = read(text);
  if (text.length > MOST_KNOWN_CHARS / 10) return terms;
  known.set(text, terms);
  knownChars += text.length;
  for (const oldest of known.keys()) {
    if (knownChars <= MOST_KNOWN_CHARS) break;
    known.delete(oldest);
    knownChars -= oldest.length;
  }
  return terms;
}

function read(text: string): Terms {
  const words = wordsIn(text);
  const parts = words.flatMap((word) => word.parts);
  const wholes = words.filter((word) => word.parts.length > 1).map(({ whole }) => whole);
  const subjects = words.filter(({ whole }) => !isFiller(whole)).map(({ whole }) => stem(whole));
  const pairs = [...pairsOf(subjects), ...words.flatMap((word) => pairsOf(word.parts.map(stem)))];
  const counts = new Map<string, number>();
  for (const term of [...[...parts, ...wholes].map(stem), ...pairs]) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { words: parts.length, counts, forms: new Map(parts.map((part) => [part, stem(part)])) };
}

/** Returns the pairs of adjacent words. */
export function pairsOf(words: readonly string[]): readonly string[] {
  return words.slice(1).map((word, n) => `${words[n]} ${word}`);
}
