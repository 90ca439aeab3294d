import { InvalidArgumentError } from "commander";
import { parseSpan } from "../terminal/duration.ts";

const TEN_YEARS_MS = 3650 * 86_400_000;

/** Reads the time span of an option and returns it in milliseconds. Throws if the text is not a time span. */
export function span(text: string): number {
  const ms = parseSpan(text, TEN_YEARS_MS);
  if (ms !== null) return ms;
  throw new InvalidArgumentError("It is a time such as 30m, 12h or 7d.");
}
