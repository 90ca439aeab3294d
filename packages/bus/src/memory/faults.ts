/** The deliberate faults of the memory bus. Each of the first three is a probability from 0 to 1 for every message. */
export interface Faults {
  /** It arrives a second time. */
  readonly duplicate?: number;
  /** It is held back for up to 10 ms, so that later ones overtake it. */
  readonly reorder?: number;
  /** It is confirmed and never arrives. */
  readonly lose?: number;
  /** Each copy waits for up to this many milliseconds. */
  readonly delayMs?: number;
}

/** After how many milliseconds each copy of a message arrives; none when it is lost. */
export function arrivals(faults: Faults, random: () => number): readonly number[] {
  const { duplicate = 0, reorder = 0, lose = 0, delayMs = 0 } = faults;
  if (hits(lose)) return [];
  return hits(duplicate) ? [wait(), wait()] : [wait()];

  function hits(probability: number): boolean {
    return probability > 0 && random() < probability;
  }

  function wait(): number {
    const held = hits(reorder) ? random() * REORDER_WITHIN_MS : 0;
    return held + (delayMs > 0 ? random() * delayMs : 0);
  }
}

const REORDER_WITHIN_MS = 10;
