/** The maximum number of words of a text or a query. A query may be a whole message, and words beyond this limit are ignored. */
const MAX_WORDS = 2000;

/** A word of a text in lower case, and its parts if it has capitals inside, such as "createIssue" or "GitHub". Otherwise it is its own only part. */
export interface Word {
  readonly whole: string;
  readonly parts: readonly string[];
}

/** Returns the words of a text. "create_issue" and "create issue" have the same words. */
export function wordsIn(text: string): readonly Word[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS).map((word) => {
    const split = word.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2");
    return { whole: word.toLowerCase(), parts: split.toLowerCase().split(" ") };
  });
}

/** Returns whether a word says nothing about the subject of a query, such as "the" or "please". */
export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

/**
 * Returns the form in which a word is compared, without common English endings. "issues" and "issue" have the same form, and so do "creating" and
 * "created". Short words and words in other scripts stay as they are.
 */
export function stem(word: string): string {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word;
  let root = withoutPlural(word);
  for (const [ending, least] of ENDINGS) {
    if (!root.endsWith(ending)) continue;
    const rest = root.slice(0, -ending.length);
    if (rest.length >= least && /[aeiouy]/.test(rest)) root = withoutDouble(rest);
    break;
  }
  // "create" and "creating" differ only in this letter, and so do "query" and "queries".
  return root.length > 3 ? root.replace(/e$/, "").replace(/y$/, "i") : root;
}

/** The endings that are removed, each with the least number of letters that must remain. Only the first ending that fits is removed. */
const ENDINGS: readonly (readonly [string, number])[] = [
  ["ation", 4],
  ["ment", 4],
  ["ing", 3],
  ["ion", 4],
  ["ate", 4],
  ["ed", 3],
  ["ly", 4],
];

function withoutPlural(word: string): string {
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return /[^su]s$/.test(word) && !word.endsWith("is") ? word.slice(0, -1) : word;
}

/** "running" has the root "run", but "filling" has the root "fill". */
function withoutDouble(root: string): string {
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

const FILLERS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be been but by can could did do does doing for from had has have having he her here him his how
  i if in into is it its just let like may me might more most must my need no not now of off on one only or other our out over own please s same she
  should so some such t than that the their them then there these they thing this those through to too up us very want was we were what when where
  which while who whom whose why will with would yes you your`.split(/\s+/),
);
