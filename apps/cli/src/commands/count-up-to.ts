import { InvalidArgumentError } from "commander";

/** Returns a function that reads a whole number from 1 to `most`. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    if (count < 1 || count > most) throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
    return count;
  };
}
