/** Returns numbers from 0 up to but not including 1. */
export type RandomSource = () => number;

/**
 * Returns a source whose numbers depend only on the seed, so that a report that is made twice has the same figures. The generator is mulberry32,
 * which is good enough to draw samples and of no use for secrets.
 */
export function seededRandom(seed: number): RandomSource {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
