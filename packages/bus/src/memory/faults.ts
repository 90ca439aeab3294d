/** The deliberate faults of the memory bus. The first three are probabilities from 0 to 1, and apply to every message. */
export interface Faults {
  /** The probability that a message arrives a second time. */
  readonly duplicate?: number;
  /** The probability that a message is delayed by up to 10 ms, so that later messages overtake it. */
  readonly reorder?: number;
  /** The probability that a message is confirmed but never arrives. */
  readonly lose?: number;
  /** The longest delay of each copy, in milliseconds. */
  readonly delayMs?: number;
}

/** Returns the delay of each copy of a message, in milliseconds. The list is empty if the message is lost. */
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
