import { parseTime } from "@toolbus/contracts";
import { InvalidArgumentError } from "commander";
import { parseSpan } from "../terminal/duration.ts";

/** Computes a time in milliseconds since 1970 from the current time. */
export type Since = (now: number) => number;

const TEN_YEARS_MS = 3650 * 86_400_000;
/** A bare number with at least this many digits is a time in milliseconds, not a span in seconds. */
const DIGITS_OF_A_TIME = 11;

/** Reads the `--since` of a list: a span before now, or a time. Throws if the text is neither. */
export function since(text: string): Since {
  const at = text.length >= DIGITS_OF_A_TIME ? parseTime(text) : null;
  if (at !== null) return () => at;
  const ms = parseSpan(text, TEN_YEARS_MS);
  if (ms !== null) return (now) => Math.max(0, now - ms);
  throw new InvalidArgumentError("It is a span such as 30m, 2h or 3d, or a time such as 2026-11-25T18:00:00Z.");
}
