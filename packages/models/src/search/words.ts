import { porter2 } from "./porter2.ts";

/** The maximum number of words of a text or a query. A query may be a whole message, and words beyond this limit are ignored. */
const MAX_WORDS = 2000;

/** A word of a text in lower case, and its parts if it has capitals inside, such as "createIssue" or "GitHub". Otherwise it is its own only part. */
export interface Word {
  readonly whole: string;
  readonly parts: readonly string[];
}

/** Returns the words of a text. "create_issue" and "create issue" have the same words. */
export function wordsIn(text: string): readonly Word[] {
  // A message is compared with several lists of texts, one after the other.
  if (last.text === text) return last.words;
  const words = (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS).map(wordOf);
  last = { text, words };
  return words;
}

let last: { readonly text: string; readonly words: readonly Word[] } = { text: "", words: [] };

function wordOf(word: string): Word {
  const whole = word.toLowerCase();
  // Most words have no capital inside, and no digit before a capital.
  if (word.slice(1) === whole.slice(1)) return { whole, parts: [whole] };
  const split = word.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
  return { whole, parts: split.toLowerCase().split(" ") };
}

/** Returns whether a word says nothing about the subject of a query, such as "the" or "please". */
export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

/**
 * Returns the form in which a word is compared, without common English endings. "issues" and "issue" have the same form, and so do "creating" and
 * "created". Words in other scripts stay as they are.
 */
export function stem(word: string): string {
  const known = roots.get(word);
  if (known !== undefined) return known;
  const root = /^[a-z]+$/.test(word) && word.length <= LONGEST ? porter2(word) : word;
  // A foreign text may have any number of different words.
  if (roots.size >= MOST_ROOTS) roots.clear();
  roots.set(word, root);
  return root;
}

const LONGEST = 64;
const MOST_ROOTS = 50_000;
const roots = new Map<string, string>();

const FILLERS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be been but by can could did do does doing for from had has have having he her here him his how
  i if in into is it its just let like may me might more most must my need no not now of off on one only or other our out over own please s same she
  should so some such t than that the their them then there these they thing this those through to too up us very want was we were what when where
  which while who whom whose why will with would yes you your`.split(/\s+/),
);
