/** Random numbers that depend only on a seed and are the same on every machine. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns a whole number from 0 to `count - 1`. */
  below(count: number): number;
  chance(probability: number): boolean;
  /** Returns an item of the list. Throws a RangeError if the list is empty. */
  pick<T>(list: readonly T[]): T;
  /** Returns unexpected text of at most `longest` UTF-16 units, with control characters and lone surrogates. */
  noise(longest: number): string;
}

/** Returns a mulberry32 generator. Its numbers vary input well enough, but must never be used for secrets. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const random: Random = {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
    below: (count) => Math.floor(random.next() * count),
    chance: (probability) => random.next() < probability,
    pick(list) {
      const index = random.below(list.length);
      if (index >= list.length) throw new RangeError("There is nothing to pick from.");
      return list[index] as (typeof list)[number];
    },
    noise(longest) {
      const length = 1 + random.below(longest);
      return Array.from({ length }, () => random.pick(ALPHABETS)(random)).join("");
    },
  };
  return random;
}

const ALPHABETS: readonly ((random: Random) => string)[] = [
  (random) => String.fromCharCode(random.below(128)),
  (random) => String.fromCharCode(random.below(128)),
  (random) => String.fromCharCode(random.below(32)),
  (random) => String.fromCharCode(0xd800 + random.below(0x800)),
  (random) => String.fromCharCode(random.below(0x1_00_00)),
  (random) =>
    random.pick(["{", "}", "[", "]", '"', "\\", "\\u0000", "__proto__", "\u202e", "\ufeff", "\u2028", "💥", "%00", "../", "$ne", "'; --"]),
];
