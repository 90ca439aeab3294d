/** Random numbers that depend only on a seed. The same seed gives the same numbers in every process and on every machine. */
export interface Prng {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns true with this probability, from 0 to 1. */
  chance(probability: number): boolean;
  /** Returns a whole number from 0 to `count - 1`. */
  below(count: number): number;
  between(least: number, most: number): number;
  /** Returns a number from `least` to `most`. Each order of magnitude is equally likely. */
  magnitude(least: number, most: number): number;
  /** Returns a random item. Throws a RangeError on an empty list. */
  pick<T>(list: readonly T[]): T;
  bytes(count: number): Uint8Array;
  /** Returns another stream, which does not depend on how many numbers were drawn from this one. */
  fork(name: string): Prng;
}

/** Makes a generator (sfc32), seeded by a hash of the text. It is good enough for schedules, and useless for secrets. */
export function prng(seed: string): Prng {
  let [a, b, c, d] = hashed(seed);
  const generator: Prng = {
    next() {
      const sum = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = ((c << 21) | (c >>> 11)) + sum;
      return (sum >>> 0) / 4_294_967_296;
    },
    chance: (probability) => probability > 0 && generator.next() < probability,
    below: (count) => Math.floor(generator.next() * count),
    between: (least, most) => least + generator.next() * (most - least),
    magnitude: (least, most) => least * (most / least) ** generator.next(),
    pick(list) {
      const index = generator.below(list.length);
      if (index >= list.length) throw new RangeError("There is nothing to pick from.");
      return list[index] as (typeof list)[number];
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => generator.below(256)),
    fork: (name) => prng(`${seed}/${name}`),
  };
  // Skips the first numbers, because they still resemble the seed.
  for (let i = 0; i < 12; i++) generator.next();
  return generator;
}

/** Hashes a text to four 32-bit words (xmur3). */
function hashed(text: string): [number, number, number, number] {
  let h = 1_779_033_703 ^ text.length;
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 3_432_918_353);
    h = (h << 13) | (h >>> 19);
  }
  const word = (): number => {
    h = Math.imul(h ^ (h >>> 16), 2_246_822_507);
    h = Math.imul(h ^ (h >>> 13), 3_266_489_909);
    return (h ^= h >>> 16) | 0;
  };
  return [word(), word(), word(), word()];
}
