import { refused, type Refused } from "../refused.ts";

/** The longest text, in bytes as stored. A log entry contains the text and other fields. */
const MAX_TEXT_BYTES = 48 * 1024;

/** Returns why a text cannot be stored, or null if it can. Characters beyond ASCII need several bytes. */
export function tooLarge(text: string, what: string): Refused | null {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= MAX_TEXT_BYTES) return null;
  return refused("body_too_large", `${what} takes ${bytes} bytes to store; at most ${MAX_TEXT_BYTES} are allowed.`, "Send less.");
}
