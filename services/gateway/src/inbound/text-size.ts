import { refused, type Refused } from "../refused.ts";

/** The longest text, in bytes as it is stored: an entry of a log holds it with what stands beside it. */
const MAX_TEXT_BYTES = 48 * 1024;

/** Why a text cannot be stored; null when it can. Characters beyond ASCII take more room than they count. */
export function tooLarge(text: string, what: string): Refused | null {
  const bytes = Buffer.byteLength(JSON.stringify(text));
  if (bytes <= MAX_TEXT_BYTES) return null;
  return refused("body_too_large", `${what} takes ${bytes} bytes to store; ${MAX_TEXT_BYTES} are the most.`, "Send less.");
}
