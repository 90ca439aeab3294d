// Semantic versions, PEP 440 and Go's versions agree on what advisories need: numbers, and words that come before or after them.
const NUMBERS = /^\s{0,5}v?(?:\d{1,5}!)?(\d{1,12}(?:\.\d{1,12}){0,9})(.{0,200})$/i;

/** Words of a pre-release that mean the same. A development version comes before all others. */
const SAME: Readonly<Record<string, string>> = { a: "alpha", b: "beta", c: "rc", pre: "rc", preview: "rc", dev: "" };

/**
 * Compares two versions of one package: negative if the first one is earlier, positive if it is later, 0 if they are equal. Returns null if one of them
 * is no version. It knows what semantic versions, PEP 440 and Go have in common. What follows a "+" does not count.
 */
export function compareVersions(a: string, b: string): number | null {
  const first = partsOf(a);
  const second = partsOf(b);
  if (!first || !second) return null;
  for (let at = 0; at < Math.max(first.numbers.length, second.numbers.length); at++) {
    const difference = (first.numbers[at] ?? 0) - (second.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (first.stage !== second.stage) return first.stage - second.stage;
  for (let at = 0; at < Math.max(first.words.length, second.words.length); at++) {
    const difference = compareWords(first.words[at], second.words[at]);
    if (difference !== 0) return difference;
  }
  return 0;
}

interface Parts {
  readonly numbers: readonly number[];
  /** -1 before the final version, 0 the final version, 1 after it. */
  readonly stage: -1 | 0 | 1;
  readonly words: readonly (string | number)[];
}

function partsOf(version: string): Parts | null {
  const [, numbers, after = ""] = NUMBERS.exec(version) ?? [];
  if (numbers === undefined) return null;
  const [rest = ""] = after.split("+", 1);
  if (rest !== "" && !/^[-._]?[a-z0-9]/i.test(rest)) return null;
  const words = [...rest.toLowerCase().matchAll(/\d{1,15}|[a-z]+/g)].map(([word]) =>
    /^\d/.test(word) ? Number(word) : (SAME[word] ?? word),
  );
  const stage = rest === "" ? 0 : /^[-._]?(?:post|rev|r\d)/i.test(rest) ? 1 : -1;
  return { numbers: numbers.split(".").map(Number), stage, words };
}

/** A number comes before a word, and an earlier end comes first. */
function compareWords(a: string | number | undefined, b: string | number | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : 1;
}
