import { InvalidArgumentError } from "commander";

/** Reads the `--limit` of a list. Throws for a number that the services do not accept. */
export function pageLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= 100) return limit;
  throw new InvalidArgumentError("It is a whole number from 1 to 100.");
}
